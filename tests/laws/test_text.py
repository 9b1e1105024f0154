"""Texts keep their words: canonical forms, hidden characters, quotes found where they stand, canonical JSON."""

import json
import unicodedata
from datetime import datetime

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from muniment.claims import (
    InvalidError,
    canonical_bytes,
    canonical_text,
    checked_text,
    cleaned,
    from_micros,
    hidden_characters,
    spans_of,
    to_micros,
    visible,
)
from muniment.testing import any_texts, moments, spans_by_trying, texts

# --- canonical text --------------------------------------------------------------------------------------------


@given(any_texts() | texts())
@example("ﬃ\u00adce")
@example("\u0345")
@example("ß\u200bẞ")
def test_the_canonical_form_of_a_canonical_form_is_itself(text: str) -> None:
    once = canonical_text(text)

    assert canonical_text(once) == once


@given(texts(hidden=False))
def test_composition_case_and_punctuation_do_not_tell_texts_apart(text: str) -> None:
    wanted = canonical_text(text)

    assert canonical_text(unicodedata.normalize("NFD", text)) == wanted
    assert canonical_text(unicodedata.normalize("NFC", text)) == wanted
    assert canonical_text(f"  {text}!! ") == wanted
    assert canonical_text(text.replace(" ", "\u200b  \t")) == wanted


def test_other_words_have_another_canonical_form() -> None:
    assert canonical_text("staging") != canonical_text("production")
    assert canonical_text("배포 환경") != canonical_text("배포환경")
    assert canonical_text("저는 고기를 안 먹어요") != canonical_text("저는 고기를 먹어요")


# --- hidden characters -----------------------------------------------------------------------------------------


@given(any_texts() | texts())
def test_what_is_cleaned_keeps_every_visible_character(text: str) -> None:
    hidden = {item.position for item in hidden_characters(text)}
    kept = "".join(char for place, char in enumerate(text) if place not in hidden)

    assert cleaned(text) == unicodedata.normalize("NFC", kept)


@given(any_texts() | texts())
def test_what_is_shown_says_where_each_hidden_character_stands(text: str) -> None:
    found = hidden_characters(text)

    assert visible(text).count("‹U+") == text.count("‹U+") + len(found)
    assert [ord(text[item.position]) for item in found] == [item.code for item in found]


FLAG = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    "honest", ["👩\u200d💻", "❤\ufe0f", "می\u200cخواهم", "क्\u200dष", FLAG, "한글과 café"]
)
def test_honest_uses_are_left_alone(honest: str) -> None:
    assert hidden_characters(honest) == ()
    assert visible(honest) == honest


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("pay\u200bnow", "invisible"),
        ("pay\u202enow", "direction control"),
        ("pay\u3164now", "filler"),
        ("pay\U000e0041now", "tag"),
        ("pay\ufe0fnow", "variation selector"),
        ("pay\u200dnow", "joiner"),
        ("pay\x1bnow", "control"),
    ],
)
def test_each_sort_of_hiding_is_found(text: str, sort: str) -> None:
    assert [(item.position, item.sort) for item in hidden_characters(text)] == [(3, sort)]
    assert cleaned(text) == "paynow"


# --- quotes ----------------------------------------------------------------------------------------------------


@settings(max_examples=300)
@given(texts(most_words=5), texts(most_words=3), texts(most_words=3))
def test_a_quote_is_found_where_it_stands(quote: str, before: str, after: str) -> None:
    text = f"{before} {quote} {after}"
    place = len(before) + 1

    assert (place, place + len(quote)) in list(spans_of(quote, text))


@settings(max_examples=300)
@given(
    texts(most_words=3),
    texts(most_words=3),
    texts(most_words=3),
    st.sampled_from(("NFC", "NFD")),
    st.sampled_from(("NFC", "NFD")),
)
def test_composition_does_not_hide_a_quote_and_offsets_are_of_the_raw_text(
    quote: str, before: str, after: str, asked: str, stored: str
) -> None:
    # A mark at the front belongs to the space before it, so the quote would cut a character in two.
    assume(not unicodedata.category(quote[0]).startswith("M"))
    wanted = unicodedata.normalize(asked, quote)  # type: ignore[arg-type]
    text = unicodedata.normalize(stored, f"{before} {quote} {after}")  # type: ignore[arg-type]
    found = list(spans_of(wanted, text))

    assert found
    for start, end in found:
        same = unicodedata.normalize("NFC", text[start:end])
        assert same == unicodedata.normalize("NFC", wanted)


pieces = st.lists(
    st.sampled_from(("a", "e", "\u0301", "é", "가", "\u1100", "\u1161", "\u11a8", "각", " ")),
    min_size=1,
    max_size=7,
).map("".join)


@settings(max_examples=1_000)
@given(pieces.filter(lambda text: bool(text.strip())), pieces)
def test_spans_are_those_that_trying_every_stretch_finds(quote: str, text: str) -> None:
    found, wanted = list(spans_of(quote, text)), list(spans_by_trying(quote, text))

    assert found == wanted


def test_a_quote_that_cuts_a_letter_and_its_mark_apart_is_none() -> None:
    assert list(spans_of("cafe", unicodedata.normalize("NFC", "café au lait"))) == []
    assert list(spans_of("저는 고", unicodedata.normalize("NFD", "저는 곡"))) == []


# --- what is taken ---------------------------------------------------------------------------------------------


@given(any_texts())
def test_any_text_is_taken_as_it_is(text: str) -> None:
    assert checked_text(text, "it", limit=100) == text


@pytest.mark.parametrize("text", ["", " \n\t ", "a\0b", "a\ud800b", "a" * 11])
def test_what_is_no_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidError):
        checked_text(text, "it", limit=10)


# --- times -----------------------------------------------------------------------------------------------------


@given(moments())
def test_a_moment_is_the_same_in_every_zone(moment: datetime) -> None:
    assert from_micros(to_micros(moment)) == moment


# --- canonical JSON --------------------------------------------------------------------------------------------

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | any_texts(most=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(any_texts(most=6), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values)
def test_canonical_bytes_read_back_as_the_value(value: object) -> None:
    raw = canonical_bytes(value)

    assert json.loads(raw) == value
    assert canonical_bytes(json.loads(raw)) == raw


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        # RFC 8785, 3.2.2: the literals and strings of its sample; numbers there are floats.
        (
            {
                "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
                "literals": [None, True, False],
            },
            '{"literals":[null,true,false],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
        ),
        # 3.2.2.2: two-character escapes where there are any, lower-case \u00xx elsewhere.
        ("\b\t\n\f\r\u0000\u001f\u007f", '"\\b\\t\\n\\f\\r\\u0000\\u001f\x7f"'),
        # 3.2.2.3: integers as they are.
        ([0, -1, 9007199254740991], "[0,-1,9007199254740991]"),
        ({"b": 1, "a": {"d": [], "c": {}}}, '{"a":{"c":{},"d":[]},"b":1}'),
        # No normalisation: equal-looking names stay two.
        ({"e\u0301": 1, "é": 2}, '{"e\u0301":1,"é":2}'),
    ],
)
def test_canonical_bytes_are_those_of_rfc_8785(value: object, wanted: str) -> None:
    assert canonical_bytes(value) == wanted.encode("utf-8")


# Open: claims/canonical.py sorts by code points. Remove the mark when it sorts by UTF-16 units.
def test_names_are_sorted_as_rfc_8785_sorts_them() -> None:
    # 3.2.3: by UTF-16 code units, so a name beyond the basic plane comes before U+FB33.
    names = ("\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6")
    wanted = ("\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33")

    raw = canonical_bytes(dict.fromkeys(names, 0))

    assert tuple(json.loads(raw)) == wanted


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"bytes", object()])
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        canonical_bytes(value)


# Open: claims/canonical.py promises to refuse floats and writes them. Remove the mark when it refuses.
@pytest.mark.parametrize("value", [1.5, [0.0], {"a": 1e30}])
def test_floats_have_no_canonical_form(value: object) -> None:
    with pytest.raises(TypeError):
        canonical_bytes(value)
