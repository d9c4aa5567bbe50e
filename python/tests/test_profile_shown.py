"""What a profile says and draws, whatever its figures and labels."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from bowshot.profile import Profile
from tests.profile_cases import HOSTILE, made

SVG = "{http://www.w3.org/2000/svg}"


def drawn(profile: Profile) -> ElementTree.Element:
    """The picture, which must be well-formed."""
    return ElementTree.fromstring(profile.to_svg())


@pytest.mark.parametrize("connections", [1, 2, 8, 200])
@pytest.mark.parametrize("partitions", [1, 16, 1000])
def test_any_number_is_drawn(connections: int, partitions: int) -> None:
    picture = drawn(made(connections, max(partitions, connections)))
    assert picture.find(f"{SVG}title") is not None
    assert picture.find(f"{SVG}desc") is not None
    assert picture.get("role") == "img"
    assert int(picture.get("height", "0")) < 1000
    rows = [text.text for text in picture.iter(f"{SVG}text") if (text.text or "").startswith("connection ")]
    assert rows == [f"connection {index}" for index in range(min(connections, 48))]


def test_the_size_of_a_picture_is_bounded() -> None:
    assert len(made(48, 10_000, stretches=1).to_svg()) < 600_000
    assert len(made(1, 1, stretches=5000).to_svg()) < 60_000
    assert len(made(1, 10_000, stretches=1).to_svg()) < 60_000


def test_hostile_labels_do_nothing() -> None:
    profile = made(2, 6, label=HOSTILE)
    text = profile.to_svg()
    assert "<script" not in text.lower()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\ud800-\udfff]", text)
    text.encode()
    picture = drawn(profile)
    assert {element.tag.removeprefix(SVG) for element in picture.iter()} == {
        "svg", "title", "desc", "style", "rect", "text", "path"
    }  # fmt: skip
    assert any("<script>alert" in (title.text or "") for title in picture.iter(f"{SVG}title"))
    assert "\x1b" not in str(profile)
    str(profile).encode()
    assert max(map(len, str(profile).splitlines())) < 200


def test_a_notebook_gets_the_picture() -> None:
    profile = made(1, 2)
    assert profile._repr_svg_() == profile.to_svg()
    assert profile.to_svg() in profile._repr_html_()


def test_areas_are_the_shares() -> None:
    """The height of a bar is divided as its time is."""
    profile = made(1, 1, stretches=1, shares=(0.5, 0.25, 0.25, 0.0))
    one = profile.partitions[0]
    path = next(path.get("d", "") for path in drawn(profile).iter(f"{SVG}path") if path.get("class") == "decoding")
    # From the bottom up to the edge: what lies under it is decoding and waiting.
    found = re.match(r"M[\d.]+ ([\d.]+)V([\d.]+)H[\d.]+V([\d.]+)H", path)
    assert found
    bottom, _, edge = map(float, found.groups())
    share = (one.decoding + one.waiting) / (one.duration - one.connecting)
    assert (bottom - edge) / 32 == pytest.approx(share, abs=0.01)


SAID = {
    "The server was waited for 6": {},
    "Decoding took 7": {"shares": (0.1, 0.8, 0.05, 0.05)},
    "The database, which works in this process": {"shares": (0.1, 0.8, 0.05, 0.05), "site": "here"},
    "Files were waited for": {"site": "files"},
    "The driver was waited for": {"site": "driver"},
    "The disk was waited for": {"site": "here"},
    "a larger buffer_bytes": {"shares": (0.1, 0.1, 0.8, 0.0)},
    "The consumer was at work 90 %": {"shares": (0.1, 0.1, 0.8, 0.0), "working": 0.9},
    "No core of this machine was free for": {"shares": (0.1, 0.1, 0.0, 0.8)},
    "no core of this machine was free.": {"shares": (0.5, 0.2, 0.0, 0.3)},
    "too short to say": {"seconds": 0.001},
}


@pytest.mark.parametrize(("words", "figures"), SAID.items(), ids=range(len(SAID)))
def test_one_sentence_says_what_limits(words: str, figures: dict[str, object]) -> None:
    profile = made(2, 8, **figures)  # type: ignore[arg-type]
    assert words in profile.summary
    assert profile.summary in str(profile)


def test_a_table_lists_the_slowest() -> None:
    profile = made(2, 400)
    text = str(profile)
    assert "The 10 slowest of 400 partitions:" in text
    assert len(text.splitlines()) < 30
    longest = max(profile.partitions, key=lambda one: one.duration)
    assert f"{longest.label}\n" in f"{text}\n"
