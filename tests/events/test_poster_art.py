"""Generated posters are pictures like any other, and each show keeps its own."""

import pytest

from fullhouse.demo import events
from fullhouse.events.images import poster_art
from fullhouse.kit.media import pictures


@pytest.mark.parametrize("seed", ["The Lighthouse Keeper", "Storm Season", "", "é"])
def test_a_poster_is_a_picture_and_stays_the_same(seed: str) -> None:
    drawn = poster_art.draw_poster(seed)
    picture = pictures.clean_now(drawn)
    assert (picture.width, picture.height) == poster_art.SIZE
    assert poster_art.draw_poster(seed) == drawn


def test_posters_differ_and_show_every_motif() -> None:
    assert len({poster_art.draw_poster(str(n)) for n in range(12)}) == 12
    for motif in poster_art.MOTIFS:
        assert pictures.clean_now(poster_art.draw_poster("a show", motif))


def test_no_two_shows_of_the_demo_have_the_same_motif() -> None:
    motifs = [show.art for place in events.VENUES for show in place.shows]
    assert len(set(motifs)) == len(motifs)
    assert set(motifs) <= poster_art.MOTIFS.keys()
