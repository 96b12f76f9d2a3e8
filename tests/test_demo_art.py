"""The demo's posters are pictures like any other, and each show keeps its own."""

import pytest

from fullhouse import demo_art
from fullhouse.kit import pictures


@pytest.mark.parametrize("seed", ["The Lighthouse Keeper", "Storm Season", "", "é"])
def test_a_poster_is_a_picture_and_stays_the_same(seed: str) -> None:
    drawn = demo_art.poster(seed)
    picture = pictures.clean_now(drawn)
    assert (picture.width, picture.height) == demo_art.SIZE
    assert demo_art.poster(seed) == drawn


def test_posters_differ_and_show_every_motif(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len({demo_art.poster(str(n)) for n in range(12)}) == 12
    for motif in demo_art.MOTIFS:
        monkeypatch.setattr(demo_art, "MOTIFS", (motif,))
        assert pictures.clean_now(demo_art.poster("a show"))
