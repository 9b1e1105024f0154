"""Which stretches of a message its writer did not write: found only ever to lower them."""

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.claims import PartLabel
from muniment.policy import split_own

PIECES = st.sampled_from(
    [
        "> a",
        "```",
        "````",
        "~~~",
        "own",
        "",
        "- ```",
        "\u2028> b",
        "＞ c",
        "<blockquote>",
        "</blockquote>",
    ]
    + [
        "-----Original Message-----",
        "From: x",
        "To: y",
        "\r",
        "\r\n",
        "\u200b> d",
        "&gt; e",
        "    ",
        "네",
    ]
)


@given(st.lists(PIECES, max_size=12), st.sampled_from(["\n", "\r\n", "\r", "\u2029"]))
def test_the_parts_are_the_whole_text_in_order(pieces: list[str], end: str) -> None:
    text = end.join(pieces)

    assert "".join(piece for _, piece in split_own(text)) == text
    assert all(piece for _, piece in split_own(text))


@given(st.lists(PIECES, max_size=12))
def test_what_is_quoted_stays_quoted_when_the_same_is_said_after_a_blank_line(
    pieces: list[str],
) -> None:
    text = "\n".join(pieces)

    own = "".join(piece for label, piece in split_own(text) if label is PartLabel.OWN)

    assert not [line for line in own.splitlines() if line.strip("\u200b ").startswith((">", "＞"))]


@pytest.mark.parametrize(
    "text",
    [
        "I said a > b and 3>2",
        "use `code` here",
        "From here on we deploy weekly",
        "From: the start\nwe said so",
        "a -- b -- c",
        "제목만 있는 글: 하나",
        "배포는 금요일\n\n그렇게 하자",
        "x ``` y",
    ],
)
def test_ordinary_talk_is_all_own(text: str) -> None:
    assert split_own(text) == ((PartLabel.OWN, text),)


def test_own_words_around_a_quotation_stay_own() -> None:
    text = "앞말\n> 인용\n뒷말\n```\n코드\n```\n끝말"

    assert [label.value for label, _ in split_own(text)] == [
        "own",
        "quoted",
        "own",
        "quoted",
        "own",
    ]


@pytest.mark.parametrize("text", [" " * 60_000, "> " * 30_000, "`" * 60_000, "from:\n" * 10_000])
def test_long_texts_take_no_time(text: str) -> None:
    begun = perf_counter()
    split_own(text)
    split_own("\n".join(text))

    assert perf_counter() - begun < 5
