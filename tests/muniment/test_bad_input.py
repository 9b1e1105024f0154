"""Whatever is handed in wrong is a clear InvalidError that says the way out, and changes not a byte."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from muniment import (
    AsOf,
    Claim,
    InvalidError,
    Memory,
    MunimentError,
    NotFoundError,
    Session,
    Source,
)
from muniment.claims import CLAIM_LIMIT, SOURCE_LIMIT

NAIVE = datetime(2026, 3, 1, 12)
AHEAD = datetime(2999, 1, 1, tzinfo=UTC)
NO_TEXT: tuple[Any, ...] = (None, 7, 1.5, b"bytes", ["a"], {"a": "b"}, True, object())
BAD_TEXT = ("a\0b", "a\ud800b", "a\udfff")
Record = Callable[[], dict[str, bytes]]


class Given:
    """A person, one message of hers and one claim from it, and every argument of every verb by its name."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.kim: Session = memory.session(person="kim")
        self.said: Source = self.kim.message("배포는 금요일")
        self.claim: Claim = self.kim.remember("배포는 금요일", kind="stated", sources=[self.said])

    def remembering(self, name: str, text: str) -> Callable[[Any], object]:
        """Return remembering with one argument handed in by its name."""
        kim: Any = self.kim
        return lambda x: kim.remember(**{"text": text, "sources": [self.said], name: x})

    def entering(self, name: str) -> Callable[[Any], object]:
        """Return making a session with one name handed in."""
        return lambda x: self.memory.session(**{name: x})

    def texts(self) -> dict[str, Callable[[Any], object]]:
        """Return each argument that is a text, as a function that hands one in."""
        kim: Any = self.kim  # so that arguments of every wrong sort can be written down
        said, claim = self.said, self.claim
        remembered = (
            "text",
            "gist",
            "field",
            "subject",
            "attribute",
            "value",
            "recheck_when",
            "task",
            "key",
        )
        return {
            "message": lambda x: kim.message(x),
            "message key": lambda x: kim.message("hello", key=x),
            "part text": lambda x: kim.message(parts=[("own", "hello"), ("pasted", x)]),
            "part origin": lambda x: kim.message(parts=[("pasted", "hello", x)]),
            "tool": lambda x: kim.tool_result(x, {"a": 1}),
            "tool text": lambda x: kim.tool_result("t", {"a": 1}, x),
            "tool field": lambda x: kim.tool_result("t", {x: 1}),
            "tool key": lambda x: kim.tool_result("t", {"a": 1}, key=x),
            "document": lambda x: kim.document(x, origin="o"),
            "document origin": lambda x: kim.document("hello", origin=x),
            "document media type": lambda x: kim.document("hello", origin="o", media_type=x),
            "document asserted": lambda x: kim.document("hello", origin="o", asserted_source=x),
            "document key": lambda x: kim.document("hello", origin="o", key=x),
            **{
                f"remember {name}": self.remembering(name, text="배포는 금요일")
                for name in remembered
            },
            "confirm reason": lambda x: kim.confirm(claim, reason=x),
            "retract reason": lambda x: kim.retract(claim, reason=x),
            "correct": lambda x: kim.correct(claim, x, sources=[said]),
            "correct gist": lambda x: kim.correct(claim, "금요일", gist=x, sources=[said]),
            "correct value": lambda x: kim.correct(claim, "금요일", value=x, sources=[said]),
            "correct reason": lambda x: kim.correct(claim, "금요일", reason=x, sources=[said]),
            "supersede": lambda x: kim.supersede(claim, x, sources=[said]),
            "supersede reason": lambda x: kim.supersede(claim, "금요일", reason=x, sources=[said]),
            "reinstate reason": lambda x: kim.reinstate(claim, reason=x),
            "challenge": lambda x: kim.challenge(claim, x, sources=[said]),
            "challenge gist": lambda x: kim.challenge(claim, "금요일", gist=x, sources=[said]),
            "regenerate": lambda x: kim.regenerate(claim, x, sources=[said]),
            "regenerate reason": lambda x: kim.regenerate(claim, "x", reason=x, sources=[said]),
            "revoke reason": lambda x: kim.revoke(said, reason=x),
            "give back reason": lambda x: kim.give_back(said, reason=x),
            "recall": lambda x: kim.recall(x),
            "recall task": lambda x: kim.recall("배포", task=x),
            "task": lambda x: kim.task(x),
            "task key": lambda x: kim.task("hello", key=x),
            "procedure": lambda x: kim.keep_procedure("a-b", x, description="d"),
            "procedure description": lambda x: kim.keep_procedure("a-b", "x", description=x),
            "procedure key": lambda x: kim.keep_procedure("a-b", "x", description="d", key=x),
            "recall present": lambda x: kim.recall("배포", present={x: "production"}),
            "recall present value": lambda x: kim.recall("배포", present={"environment": x}),
            "recall tools": lambda x: kim.recall("배포", tools=[x]),
            "assemble": lambda x: kim.assemble(x),
            "assemble stable": lambda x: kim.assemble("배포", stable=x),
            "assemble volatile": lambda x: kim.assemble("배포", volatile=x),
            "search": lambda x: kim.search_conversations(x),
            **{
                f"session {name}": self.entering(name)
                for name in ("person", "org", "project", "channel", "agent", "session")
            },
        }

    def others(self) -> dict[str, tuple[Callable[[Any], object], tuple[Any, ...]]]:
        """Return each argument that is no text, with values it does not take."""
        kim: Any = self.kim  # so that arguments of every wrong sort can be written down
        said, claim = self.said, self.claim
        west, east = timezone(timedelta(hours=-14)), timezone(timedelta(hours=14))
        outside = datetime.max.replace(tzinfo=west), datetime.min.replace(tzinfo=east)
        times: tuple[Any, ...] = (NAIVE, "2026-03-01", 0, b"x", *outside)
        things: tuple[Any, ...] = (None, 7, b"x", ["x"], object())
        return {
            "message parts": (lambda x: kim.message(parts=x), ("text", b"x", 7, {"own": "x"})),
            "a part": (
                lambda x: kim.message(parts=[x]),
                (
                    None,
                    "ab",
                    ("own",),
                    ("own", "a", "b", "c"),
                    ("own", None),
                    (7, "x"),
                    ("field", "x"),
                    ("", "x"),
                ),
            ),
            "recall as_of": (
                lambda x: kim.recall("x", as_of=x),
                (*times, AHEAD, AsOf(valid=NAIVE)),
            ),
            "claims as_of": (lambda x: list(kim.claims(as_of=x)), (*times, AHEAD)),
            "claim as_of": (lambda x: kim.claim(claim.id, as_of=x), (*times, AHEAD)),
            "revoke": (lambda x: kim.revoke(x), (*things, claim.id)),
            "message said_at": (lambda x: kim.message("x", said_at=x), times),
            "tool said_at": (lambda x: kim.tool_result("t", {"a": 1}, said_at=x), times),
            "document said_at": (lambda x: kim.document("x", origin="o", said_at=x), times),
            "tool fields": (lambda x: kim.tool_result("t", x), (None, "a", ["a"], {})),
            "a field": (
                lambda x: kim.tool_result("t", {"a": x}),
                (None, 1.5, b"x", ["x"], float("nan"), object(), 10**5_000),
            ),
            **{
                f"remember {name}": (self.remembering(name, text="x"), times)
                for name in ("valid_from", "valid_to", "expires_at", "recheck_at")
            },
            "remember kind": (
                lambda x: kim.remember("x", kind=x, sources=[said]),
                (None, "", "fact", "STATED ", 3, b"stated", ["stated"]),
            ),
            "remember category": (
                lambda x: kim.remember("x", category=x, sources=[said]),
                (None, "", "procedure", 3, ["fact"]),
            ),
            "remember sources": (
                lambda x: kim.remember("x", sources=x),
                (None, 7, said, claim, said.id, b"x", {"a": said}, iter([said])),
            ),
            "a source": (lambda x: kim.remember("x", sources=[x]), things),
            "remember parents_complete": (
                lambda x: kim.remember("x", sources=[said], parents_complete=x),
                (None, "yes", 1),
            ),
            "confirm claim": (lambda x: kim.confirm(x, version=1), (*things, said.id)),
            "confirm version": (lambda x: kim.confirm(claim.id, version=x), (None, "1", True, 1.0)),
            "confirm times": (lambda x: kim.confirm(claim, recheck_at=x), times),
            "confirm end": (lambda x: kim.confirm(claim, expires_at=x), times),
            "confirm sources": (lambda x: kim.confirm(claim, sources=x), (None, said, "x")),
            "supersede from": (lambda x: kim.supersede(claim, "금요일", valid_from=x), times),
            "recall purpose": (lambda x: kim.recall("x", purpose=x), (None, "", "obey", 1)),
            "recall limit": (
                lambda x: kim.recall("x", limit=x),
                (0, -1, None, "3", 1.5, True, 10**18),
            ),
            "recall present": (lambda x: kim.recall("x", present=x), (None, "a", ["a"])),
            "recall tools": (lambda x: kim.recall("x", tools=x), (None, "git", 7)),
            "task until": (lambda x: kim.task("x", until=x), times),
            "task sources": (lambda x: kim.task("x", sources=x), (None, 7, said, "x")),
            "finish_task": (lambda x: kim.finish_task(x), (*things, said.id, claim.id)),
            "finish_task outcome": (
                lambda x: kim.finish_task("x", outcome=x),
                (None, "", 1, ["x"]),
            ),
            "procedure name": (
                lambda x: kim.keep_procedure(x, "x", description="d"),
                (None, 7, b"x", ["x"], "", "A b"),
            ),
            "procedure version": (
                lambda x: kim.keep_procedure("a-b", "x", description="d", version=x),
                (0, "1", True, 9),
            ),
            "export_procedure": (lambda x: kim.export_procedure(x), (*things, claim.id)),
            "remember failure": (self.remembering("failure", text="x"), (None, "x", 7, {"a": 1})),
            "remember reasoning": (self.remembering("reasoning", text="x"), (None, "x", ["x"])),
            "assemble budget": (
                lambda x: kim.assemble("x", budget=x),
                (-1, None, "3", 1.5, True, 10**18),
            ),
            "assemble count": (
                lambda x: kim.assemble("x", count=x),
                (None, 3, "len", "".find, "".join, bool),
            ),
            "assemble mode": (lambda x: kim.assemble("x", mode=x), (None, "", "cold", 1)),
            "assemble zone": (
                lambda x: kim.assemble("x", zone=x),
                (None, "", "Mars/Base", 9, "../x"),
            ),
            "assemble connect": (lambda x: kim.assemble("x", connect=x), (None, "yes", 1)),
            "search limit": (
                lambda x: kim.search_conversations("x", limit=x),
                (0, -1, None, "3", 1.5, True, 10**18),
            ),
            "claim": (lambda x: kim.claim(x), (*things, said.id)),
            "source": (lambda x: kim.source(x), (*things, claim.id)),
            "trace": (lambda x: kim.trace(x), things),
            "history": (lambda x: kim.history(x), (*things, said.id)),
            "why": (lambda x: kim.why(x), things),
            "why claim": (lambda x: kim.why(claim, claim=x), things),
            "claims category": (lambda x: list(kim.claims(category=x)), ("gossip", 3)),
            "claims standing": (lambda x: list(kim.claims(standing=x)), ("fine", 3)),
            "lower_mark": (lambda x: kim.lower_mark(x), (None, 9, "AGENT", -1)),
            "ingest": (lambda x: self.memory.ingest(x), ("text", b"text")),
        }


@pytest.fixture
def given(memory: Memory) -> Given:
    """Return the arguments of every verb."""
    return Given(memory)


def refused(attempt: Callable[[Any], object], value: object) -> str:
    """Return what an attempt is told, which must be the project's own error."""
    try:
        attempt(value)
    except (InvalidError, NotFoundError) as error:
        assert isinstance(error, MunimentError)
        return str(error)
    except Exception as error:
        raise AssertionError(f"{value!r} raised {type(error).__name__}: {error}") from error
    raise AssertionError(f"{value!r} was taken")


def test_what_is_no_text_is_refused_everywhere(given: Given, record: Record) -> None:
    before = record()

    for name, attempt in given.texts().items():
        for value in NO_TEXT:
            if getattr(value, "__hash__", None) is None and name in (
                "tool field",
                "recall present",
            ):
                continue  # cannot be a key of a mapping in the first place
            assert len(refused(attempt, value)) > 10, name
        assert record() == before, name


def test_text_that_cannot_be_kept_is_refused_everywhere(given: Given, record: Record) -> None:
    before = record()

    for name, attempt in given.texts().items():
        for value in BAD_TEXT:
            told = refused(attempt, value)
            assert "media" in name or "NUL" in told or "surrogate" in told or "unicode" in told, (
                name,
                told,
            )
        assert record() == before, name


def test_every_other_argument_is_refused_with_the_way_out(given: Given, record: Record) -> None:
    before = record()

    for name, (attempt, values) in given.others().items():
        for value in values:
            assert len(refused(attempt, value)) > 10, name
        assert record() == before, name


def test_what_is_empty_where_something_must_be_is_refused(given: Given, record: Record) -> None:
    before = record()
    texts = given.texts()

    for name in (
        *(
            "message",
            "tool",
            "tool field",
            "document",
            "document origin",
            "remember text",
            "correct",
        ),
        *("supersede", "recall", "search"),
    ):
        for value in ("", " ", "\n\t", "\u3000\u00a0"):
            assert "empty" in refused(texts[name], value) or value == "" and name == "message", name
    assert record() == before


def test_what_is_too_long_is_refused_with_its_length(given: Given, record: Record) -> None:
    before = record()
    texts = given.texts()
    long = "가" * (CLAIM_LIMIT + 1)

    for name in ("remember text", "remember gist", "remember value", "correct", "retract reason"):
        assert "4,001 code points" in refused(texts[name], long), name
    for name in ("session person", "tool", "document origin", "message key", "tool field"):
        assert "the most is 2,000" in refused(texts[name], "a" * 2_001), name
    assert "the most is 40,000" in refused(texts["recall"], "a" * 40_001)
    assert record() == before


def test_the_longest_claim_is_taken(kim: Session) -> None:
    words = "가" * CLAIM_LIMIT
    said = kim.message(words)

    assert kim.remember(words, kind="stated", sources=[said]).quote == words


@pytest.mark.slow
def test_a_source_over_sixteen_mebi_is_refused(kim: Session, record: Record) -> None:
    before = record()

    attempts: list[Callable[[], object]] = [
        lambda: kim.message("x" * (SOURCE_LIMIT + 1)),
        lambda: kim.document("x" * (SOURCE_LIMIT + 1), origin="o"),
        lambda: kim.message(parts=[("own", "x" * SOURCE_LIMIT), ("pasted", "y")]),
        lambda: kim.tool_result("t", {"a": "x" * SOURCE_LIMIT}, "y"),
    ]
    for attempt in attempts:
        with pytest.raises(InvalidError, match="16,777,21[67]"):
            attempt()
    assert record() == before


@pytest.mark.parametrize(
    ("media_type", "good"),
    [
        ("text/html", True),
        ("application/vnd.ms-excel", True),
        ("TEXT/plain", True),
        ("text", False),
        ("text/html; charset=utf-8", False),
        ("the password is 47118352", False),
        ("a/" + "b" * 200, False),
    ],
)
def test_a_media_type_stands_in_the_clear_and_holds_no_words(
    kim: Session, media_type: str, good: bool
) -> None:
    if good:
        kim.document("x", origin="o", media_type=media_type)
        return
    with pytest.raises(InvalidError, match="text/html"):
        kim.document("x", origin="o", media_type=media_type)


def test_a_claim_is_not_superseded_from_before_it_began(kim: Session) -> None:
    said = kim.message("서울 사무실. 부산 사무실.")
    start = datetime(2040, 1, 1, tzinfo=UTC)
    claim = kim.remember("서울 사무실", kind="stated", sources=[said], valid_from=start)

    with pytest.raises(InvalidError, match="give a later one"):
        kim.supersede(claim, "부산 사무실", sources=[said], valid_from=start - timedelta(days=1))
    kim.supersede(claim, "부산 사무실", sources=[said])

    ended = kim.claim(claim.id)
    assert ended.standing == "superseded"
    assert ended.valid_to is not None and ended.valid_to > start


def test_an_interval_that_ends_before_it_begins_is_refused(kim: Session) -> None:
    from muniment.claims import from_micros

    said = kim.message("x")
    for start, end in ((5, 5), (6, 5)):
        with pytest.raises(InvalidError, match="half-open"):
            kim.remember(
                "x", sources=[said], valid_from=from_micros(start), valid_to=from_micros(end)
            )


def test_text_and_parts_together_or_neither_is_refused(kim: Session) -> None:
    with pytest.raises(InvalidError, match="not both"):
        kim.message("x", parts=[("own", "x")])
    with pytest.raises(InvalidError, match="not neither"):
        kim.message()


@pytest.mark.parametrize("verb", ["message", "recall", "remember"])
def test_a_session_after_the_store_was_closed_is_told_so_and_writes_nowhere(
    given: Given, tmp_path: Path, verb: str
) -> None:
    given.memory.close()
    given.memory.close()
    others = [(tmp_path / f"other {number}").open("wb+", buffering=0) for number in range(20)]
    attempts: dict[str, Callable[[], object]] = {
        "message": lambda: given.kim.message("x"),
        "recall": lambda: given.kim.recall("x"),
        "remember": lambda: given.kim.remember("x", sources=[given.said]),
    }

    try:
        with pytest.raises(MunimentError, match="closed"):
            attempts[verb]()
        assert [other.seek(0, 2) for other in others] == [0] * 20
    finally:
        for other in others:
            other.close()
