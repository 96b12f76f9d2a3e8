"""What kinds of shows are called, and what calendars say of them."""

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
        "calendar_undated": "This show is postponed. The new date is not known yet; the one here is the old one.",
        "calendar_new_date": "This show has a new date. It was to be on {day}, {hour}.",
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
        "calendar_undated": "Hierdie vertoning is uitgestel. Die nuwe datum is nog nie bekend nie; dié een hier is die "
        "oue.",
        "calendar_new_date": "Hierdie vertoning het ’n nuwe datum. Dit sou op {day}, {hour} wees.",
    },
)
