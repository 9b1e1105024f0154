"""The plain words: each in Korean and English, for everything a screen may have to say."""

import tomllib
from pathlib import Path

import pytest

from muniment.claims import Category, Kind, Layer, Medium, PartLabel, Standing, Use
from muniment.policy import RULES

ROOT = Path(__file__).parents[2]
DATA = ROOT / "surfaces" / "cli" / "data"


def table(name: str) -> dict[str, dict[str, dict[str, str]]]:
    """Return one of the files of words."""
    folder = ROOT / "muniment" if name == "words.toml" else DATA
    return tomllib.loads((folder / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("kind", [*Kind]),
        ("standing", [*Standing]),
        ("use", [*Use]),
        ("category", [*Category]),
        ("medium", [*Medium]),
        ("label", [*PartLabel]),
        ("layer", [*Layer]),
    ],
)
def test_every_word_of_a_closed_list_has_plain_words(group: str, names: list[str]) -> None:
    words = table("words.toml")[group]

    assert [name for name in names if set(words.get(name, {})) != {"en", "ko"}] == []


def test_all_plain_words_are_in_both_languages() -> None:
    assert [
        f"{group}.{name}"
        for group, words in table("words.toml").items()
        for name, both in words.items()
        if group != "rule" and (set(both) != {"en", "ko"} or not all(both.values()))
    ] == []


def test_every_rule_has_its_reason_in_korean() -> None:
    words = table("words.toml")["rule"]

    assert [code for code in RULES if not words.get(code, {}).get("ko")] == []


def test_the_tour_says_the_same_things_in_both_languages() -> None:
    english, korean = table("tour.en.toml"), table("tour.ko.toml")

    assert {act: set(texts) for act, texts in english.items()} == {
        act: set(texts) for act, texts in korean.items()
    }
