"""Names of event categories, and the texts of calendar entries."""

from fullhouse.kit.languages import catalogue

WORDS = catalogue(
    en={
        "category_concert": "Concert",
        "category_theatre": "Theatre",
        "category_opera": "Opera",
        "category_dance": "Dance",
        "category_comedy": "Comedy",
        "category_festival": "Festival",
        "category_sport": "Sport",
        "category_film": "Film",
        "category_family": "Family",
        "category_conference": "Conference",
        "category_workshop": "Workshop",
        "category_exhibition": "Exhibition",
        "category_other": "Other",
        "calendar_postponed": "Postponed: {title}",
        "calendar_undated": "This event is postponed. There is no new date yet: the date here is the original one.",
        "calendar_new_date": "This event has a new date. It was originally on {day}, {hour}.",
    },
    af={
        "category_concert": "Konsert",
        "category_theatre": "Teater",
        "category_opera": "Opera",
        "category_dance": "Dans",
        "category_comedy": "Komedie",
        "category_festival": "Fees",
        "category_sport": "Sport",
        "category_film": "Film",
        "category_family": "Gesin",
        "category_conference": "Konferensie",
        "category_workshop": "Werkwinkel",
        "category_exhibition": "Uitstalling",
        "category_other": "Ander",
        "calendar_postponed": "Uitgestel: {title}",
        "calendar_undated": "Hierdie geleentheid is uitgestel. Daar is nog nie ’n nuwe datum nie: die datum hier is "
        "die oorspronklike een.",
        "calendar_new_date": "Hierdie geleentheid het ’n nuwe datum. Dit was oorspronklik op {day}, {hour}.",
    },
)
