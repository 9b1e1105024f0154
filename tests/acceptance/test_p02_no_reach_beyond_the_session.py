"""P02: who may reach what comes from the authenticated session, never from an argument; nothing leaks."""

import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product

import pytest

from muniment import (
    CallableEmbedder,
    ConflictError,
    InvalidError,
    Memory,
    MunimentError,
    NotFoundError,
    Session,
)
from muniment.claims import SCOPE_FIELDS, new_id

PERSONS, PROJECTS, CHANNELS, AGENTS = ("kim", "lee"), ("", "apollo"), ("", "general"), ("", "bot")
READING = ("recall", "search_conversations", "claims", "claim", "source", "trace", "why", "history")
FORGED = (
    *(
        "",
        " ",
        "*",
        "%",
        "_",
        "' OR 1=1 --",
        '"; DROP TABLE claims; --',
        "\x00",
        "../kim",
        "null",
        "0",
    ),
    *("kim", "default", "🌱", "\ud800", "A" * 22, "A" * 100_000),
)


class Place:
    """One session of the small world, with a secret of its own that stands in all it kept."""

    def __init__(self, memory: Memory, person: str, project: str, channel: str, agent: str) -> None:
        self.names = {"person": person, "project": project, "channel": channel, "agent": agent}
        self.session = memory.session(**self.names, session="first")
        self.secret = "x".join(("q", *(name or "none" for name in self.names.values())))
        said = self.session.message(f"비밀 password {self.secret} 이다")
        self.source = said
        self.claim = self.session.remember(
            f"password {self.secret}",
            kind="stated",
            category="preference",
            gist=f"gist {self.secret} kept",
            sources=[said],
        )
        self.answer = self.session.recall("password 비밀")

    def hears(self, other: "Place") -> bool:
        """Return whether what was said there may be read here: channel talk by all in it, the rest by its person."""
        there = {"person": other.names["person"]} if not other.names["channel"] else {}
        there |= {field: other.names[field] for field in ("project", "channel")}
        return all(self.names[field] == name for field, name in there.items() if name)

    def remembers(self, other: "Place") -> bool:
        """Return whether what was remembered there may be read here."""
        names = ("person", "project", "channel")
        return all(self.names[field] == other.names[field] for field in names if other.names[field])


@pytest.fixture
def world(quick: Callable[..., Memory]) -> list[Place]:
    """Return every session of two persons, two projects, two channels and two agents."""
    memory = quick()
    return [Place(memory, *names) for names in product(PERSONS, PROJECTS, CHANNELS, AGENTS)]


def everything_read(place: Place, world: list[Place]) -> Iterator[str]:
    """Yield all that a session gets out of the store by any verb, as text."""
    session = place.session
    for query in ("password", "비밀", *(other.secret for other in world)):
        # The question stands in the answer and is no leak.
        answer = session.recall(query, limit=99)
        yield repr(answer.model_copy(update={"query": ""}))
        turns = session.search_conversations(query, limit=99)
        yield repr(turns.model_copy(update={"query": ""}))
    yield from session.export()
    for claim in session.claims():
        yield repr((claim, session.trace(claim), session.history(claim), session.why(claim)))
    for other in world:
        for attempt in attempts(session, other.claim.id, other.source.id, other.answer.receipt):
            try:
                yield repr(attempt())
            except MunimentError as error:
                yield repr(error)


def attempts(
    session: Session, claim: str, source: str, receipt: str
) -> tuple[Callable[[], object], ...]:
    """Return every way to name something of somebody by its identifier."""
    return (
        lambda: session.claim(claim),
        lambda: session.source(source),
        lambda: session.trace(claim),
        lambda: session.history(claim),
        lambda: session.why(claim),
        lambda: session.why(receipt),
        lambda: session.why(receipt, claim=claim),
    )


@pytest.mark.slow
def test_nothing_leaks_in_a_small_world(world: list[Place]) -> None:
    for place in world:
        read = "\n".join(everything_read(place, world))
        for other in world:
            where = (place.names, other.names)
            heard, kept = f"{other.secret} 이다", f"gist {other.secret} kept"
            assert (heard in read) == place.hears(other), where
            assert (kept in read) == place.remembers(other), where
            if not place.hears(other) and not place.remembers(other):
                assert other.secret not in read, where


@pytest.mark.slow
def test_counts_speak_of_the_asker_alone(world: list[Place]) -> None:
    for place in world:
        mine = [other for other in world if place.remembers(other)]
        heard = [other for other in world if place.hears(other)]
        answer = place.session.recall("password", limit=1)
        assert answer.searched == len({other.claim.id for other in mine})
        assert sum(item.count for item in answer.withheld) + len(answer.evidence) <= len(mine)
        assert place.session.search_conversations("password").searched == len(heard)


def said(attempt: Callable[[], object]) -> tuple[str, str]:
    """Return the type and the text of what an attempt raises."""
    with pytest.raises(MunimentError) as caught:
        attempt()
    return type(caught.value).__name__, str(caught.value)


def test_what_is_unknown_and_what_is_forbidden_answer_alike(world: list[Place]) -> None:
    kim = next(place for place in world if set(place.names.values()) == {"kim", ""})
    lee = next(place for place in world if set(place.names.values()) == {"lee", ""})
    unknown = new_id()

    real = [
        *attempts(lee.session, kim.claim.id, kim.source.id, kim.answer.receipt),
        *changes(lee.session, kim.claim.id),
        lambda: lee.session.remember("x", sources=[kim.claim.id]),
        lambda: lee.session.remember("x", sources=[kim.source]),
    ]
    none = [
        *attempts(lee.session, unknown, unknown, unknown),
        *changes(lee.session, unknown),
        lambda: lee.session.remember("x", sources=[unknown]),
        lambda: lee.session.remember("x", sources=[unknown]),
    ]

    for forbidden, absent in zip(real, none, strict=True):
        sort, text = said(forbidden)
        for identifier in (kim.claim.id, kim.source.id, kim.answer.receipt):
            text = text.replace(identifier, unknown)
        assert (sort, text) == said(absent)
        assert sort == "NotFoundError"


def changes(session: Session, claim: str) -> tuple[Callable[[], object], ...]:
    """Return every way to change a claim, with a version that is and one that is not the present one."""
    return tuple(
        attempt
        for version in (1, 7)
        for attempt in (
            lambda version=version: session.confirm(claim, version=version),
            lambda version=version: session.retract(claim, version=version),
            lambda version=version: session.correct(claim, "y", version=version),
            lambda version=version: session.supersede(claim, "y", version=version),
        )
    )


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_identifier_finds_nothing(memory: Memory, forged: str) -> None:
    kim, lee = memory.session(person="kim"), memory.session(person="lee")
    said_by_kim = kim.message("a secret")
    kim.remember("a secret", kind="stated", sources=[said_by_kim])

    for attempt in (*attempts(lee, forged, forged, forged), *changes(lee, forged)):
        with pytest.raises((NotFoundError, InvalidError)):  # `why` reads it as a trace id too
            attempt()


def test_identifiers_of_records_that_are_neither_source_nor_claim_find_nothing(
    quick: Callable[..., Memory],
) -> None:
    memory = quick()
    kim, lee = memory.session(person="kim"), memory.session(person="lee")
    kim.message("hello")
    kim.recall("anything")
    inside = [identifier for identifier in memory.store.state.names if identifier]

    assert len(inside) >= 4
    for identifier in inside:
        for attempt in attempts(lee, identifier, identifier, identifier):
            assert said(attempt)[0] == "NotFoundError"


def test_no_verb_takes_a_scope_or_an_author() -> None:
    verbs = [
        verb
        for name, verb in inspect.getmembers(Session, inspect.isfunction)
        if not name.startswith("_")
    ]

    taken = {name for verb in verbs for name in inspect.signature(verb).parameters}
    assert (
        taken & {*SCOPE_FIELDS, "user", "user_id", "scope", "author", "tenant", "namespace"}
        == set()
    )


@pytest.mark.parametrize(
    "name", ["", " ", "*", "%", "KIM", "kim ", "kim\u200b", "ｋｉｍ", "' OR 1=1 --", "кim"]
)
def test_no_other_name_is_her_name(memory: Memory, name: str) -> None:
    kim = memory.session(person="kim")
    said_by_kim = kim.message("서랍 번호는 47118352-7x")
    kim.remember(
        "서랍 번호는 47118352-7x", kind="stated", category="constraint", sources=[said_by_kim]
    )

    try:
        other = memory.session(person=name)
    except MunimentError:
        return
    assert other.recall("서랍 번호").evidence == ()
    assert other.search_conversations("서랍 번호").hits == ()
    assert list(other.claims()) == []
    assert "47118352-7x" not in "".join(other.export())


def test_an_idempotency_key_reaches_nobody_elses_record(quick: Callable[..., Memory]) -> None:
    memory = quick()
    for_kim = memory.session(person="kim", agent="bot")
    for_lee = memory.session(person="lee", agent="bot")
    elsewhere = memory.session(person="kim", project="apollo", agent="bot")
    first = for_kim.message("연봉은 5", key="k1")
    kept = for_kim.remember("연봉은 5", sources=[first], key="k2")

    for session in (for_lee, elsewhere):
        own = session.message("연봉은 5", key="k1")
        assert own.id != first.id and own.scope == session.acting.sources_scope()
        assert session.remember("연봉은 5", sources=[own], key="k2").id != kept.id
        session.message("다른 말", key="k3")
    with pytest.raises(ConflictError):
        for_kim.message("다른 말", key="k1")


@pytest.mark.parametrize("place", [{}, {"org": "acme"}, {"project": "apollo", "channel": "ops"}])
def test_what_an_agent_keeps_alone_reaches_no_person(
    quick: Callable[..., Memory], place: dict[str, str]
) -> None:
    memory = quick()
    bot = memory.session(agent="bot", **place)
    said_of_kim = bot.tool_result("notes", text="kim earns 5")
    kept = bot.remember("kim earns 5", sources=[said_of_kim])
    assert [item.claim.id for item in bot.recall("who earns what?").evidence] == [kept.id]
    assert bot.recall("who earns what?").receipt

    for person in ("kim", "lee"):
        for agent in ("bot", ""):
            other = memory.session(person=person, agent=agent, **place)
            other.message("hello")
            assert other.recall("who earns what?").evidence == () == tuple(other.claims())
            for attempt in (other.claim, partial(other.retract, version=1)):
                assert said(partial(attempt, kept.id))[0] == "NotFoundError"
            assert kept.id not in "".join(other.export())
    assert bot.retract(kept).standing == "retracted"


def test_in_a_channel_what_is_remembered_stays_the_members_own(memory: Memory) -> None:
    """The Kim and Park of document 004."""
    kim = memory.session(person="김대리", org="sales", channel="견적")
    park = memory.session(person="박과장", org="sales", channel="견적")
    said_by_kim = kim.message("내 사번은 20231234, 견적서 올려줘")
    kim.remember("내 사번은 20231234", kind="stated", category="constraint", sources=[said_by_kim])

    for purpose in ("answer", "act", "personalise", "instruct"):
        assert park.recall("내 사번이 뭐지? 견적서", purpose=purpose).evidence == ()
    assert list(park.claims()) == []
    assert len(park.search_conversations("견적서").hits) == 1, (
        "what is said in a channel is heard there"
    )
    assert json.loads(list(kim.export())[-2])["scope"]["person"] == "김대리"


def test_a_note_counts_nothing_of_others(quick: Callable[..., Memory]) -> None:
    working = [False]

    def embed(texts: Sequence[str]) -> list[list[float]]:
        if not working[0]:
            raise RuntimeError("down")
        return [[1.0] * 4 for _ in texts]

    memory = quick(embedder=CallableEmbedder("flaky", 4, embed))
    kim, lee = memory.session(person="kim"), memory.session(person="lee")
    for number in range(7):
        lee.message(f"secret {number}")
    lee.search_conversations("secret")
    working[0] = True
    kim.message("hello")

    assert kim.search_conversations("hello").notes == ()
