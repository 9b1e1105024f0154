"""Korean, English and mixed text become tokens with no configuration."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.retrieval import WordsAndPairs

tokens = WordsAndPairs().tokens


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []),
        ("...!? ​", []),
        ("We deploy on Fridays.", ["we", "deploy", "on", "friday"]),
        ("배포 환경을", ["배포", "환경", "경을"]),
        ("집 앞", ["집", "앞"]),
        ("금요일에", ["금요", "요일", "일에"]),
        ("Apollo는", ["apollo"]),
        ("3월에", ["3", "월에", "3월"]),
        ("東京都", ["東京", "京都"]),
        ("kim's", ["kim"]),
    ],
)
def test_text_becomes_tokens(text: str, wanted: list[str]) -> None:
    assert tokens(text) == wanted


@pytest.mark.parametrize("name", ["v2.0", "kim@example.com", "release-7", "snake_2"])
def test_an_identifier_is_found_whole_and_in_pieces(name: str) -> None:
    whole, pieces = name, [piece for piece in name.replace("@", ".").split(".")]

    assert whole in tokens(f"see {name}, please")
    assert len(tokens(name)) > len(pieces) - 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("deploys", "deployed"),
        ("deploying", "deploy"),
        ("policies", "policy"),
        ("boxes", "box"),
        ("running", "run"),
        ("Staging", "STAGING"),
        ("ＡＢＣ１２", "abc12"),
        ("don’t", "don't"),
    ],
)
def test_forms_of_a_word_are_one_token(one: str, other: str) -> None:
    assert tokens(one) == tokens(other)


@given(st.text(alphabet="배포환경을금요일 abcÀéßñ.-@漢字カナ", max_size=40))
def test_composed_and_decomposed_text_give_the_same_tokens(text: str) -> None:
    assert tokens(unicodedata.normalize("NFC", text)) == tokens(unicodedata.normalize("NFD", text))


@given(st.text(max_size=60))
def test_any_text_gives_tokens_without_white_space(text: str) -> None:
    assert all(token and not token.isspace() for token in tokens(text))


@given(st.text(alphabet="배포 환경 deploy", max_size=30), st.sampled_from("​‌⁠﻿­"))
def test_invisible_characters_change_nothing(text: str, invisible: str) -> None:
    assert tokens(invisible.join(text)) == tokens(text)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Where do we deploy?", ["deploy"]),
        ("배포 환경을 알려줘", ["배포", "환경", "경을"]),
        ("who are you", ["who", "are", "you"]),
        ("", []),
    ],
)
def test_a_question_is_asked_without_its_common_words(question: str, wanted: list[str]) -> None:
    assert WordsAndPairs().query(question) == wanted


def test_tokens_keep_how_often_a_word_stands_there() -> None:
    found, counts = np.unique(tokens("tea, tea and more tea"), return_counts=True)

    assert dict(zip(found.tolist(), counts.tolist(), strict=True))["tea"] == 3
