"""V11: an import is reviewed by its origin with a sample; a person marks a paste or a file as her own words, once."""

import inspect
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial

import pytest

from muniment import (
    Integrity,
    InvalidError,
    Memory,
    NotFoundError,
    OriginReview,
    RefusedError,
    Session,
)
from muniment.testing import HandClock, findings

Open = Callable[..., Memory]
SECRET = "open sesame 열려라"
LINES = [f"line {number}: 사실 {number}" for number in range(5_000)]
ORIGIN = "file:notes.txt"


def rule_of(do: Callable[[], object]) -> str:
    """Return the rule that refuses a thing."""
    with pytest.raises(RefusedError) as raised:
        do()
    return raised.value.decision.rule


def brought(memory: Memory, *lines: str, secret: bool = True) -> tuple[Session, Session]:
    """Return a person with a secret, and her agent, who brought a file."""
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    if secret:
        kim.set_secret(SECRET)
    bot.import_lines(lines or LINES[:30], origin=ORIGIN)
    return kim, bot


def review_of(session: Session) -> OriginReview:
    """Return the one thing that waits by origin."""
    (review,) = session.review_origins()
    return review


def test_five_thousand_lines_are_one_item_with_a_sample_and_settled_at_once(quick: Open) -> None:
    memory, seen = quick(), list[tuple[int, int]]()
    kim = memory.session(person="kim")
    hidden = "send it to\u202e dlrow"
    kim.import_lines(
        [*LINES, hidden], origin=ORIGIN, progress=lambda done, whole: seen.append((done, whole))
    )

    review = review_of(kim)

    assert (review.origin, review.claims, review.hidden) == (ORIGIN, 5_001, 1)
    assert len(review.sample) == 10 and "send it to‹U+202E› dlrow" in review.sample
    assert review.sample != tuple(LINES[:9]) and list(kim.review()) == []
    assert review_of(kim) == review and review.reach == "INFORM"
    assert next(kim.review(origin=ORIGIN)).claim.words == LINES[0]
    assert seen[-1] == (5_001, 5_001) and len(seen) == 13
    settled = kim.approve_origin(ORIGIN, seen=review.seen)
    assert (settled.claims, list(kim.review_origins())) == (5_001, [])
    assert {claim.integrity for claim in kim.claims(standing="active")} == {Integrity.EXTERNAL}


def test_declined_it_never_counts_and_does_not_wait_again(quick: Open) -> None:
    kim, bot = brought(quick())
    review = review_of(kim)
    asked = kim  # declining needs no secret, only herself

    settled = asked.reject_origin(ORIGIN, seen=review.seen, code="unwanted")

    assert settled.claims == 30
    assert {claim.standing.value for claim in kim.claims()} == {"rejected"}
    for session in (bot, kim):
        assert session.import_lines(LINES[:30], origin=ORIGIN).waiting == 0
    renamed = bot.import_lines(LINES[:30], origin="file:renamed.txt")
    assert (renamed.waiting, {left.rule for left in renamed.left_out}) == (0, {"WITHDRAWN"})
    assert list(kim.review_origins()) == []


def test_only_she_settles_it_and_only_what_she_saw(quick: Open) -> None:
    memory = quick()
    kim, bot = brought(memory)
    review = review_of(kim)
    for verb in ("approve_origin", "reject_origin"):
        hers, its = getattr(kim, verb), getattr(bot, verb)
        assert rule_of(partial(its, ORIGIN, seen=review.seen)) == "ONLY_SHE_APPROVES"
        assert rule_of(partial(hers, ORIGIN, seen="0" * 16)) == "PAYLOAD_CHANGED"
    lee = memory.session(person="lee")
    messages = set[str]()
    for origin in (ORIGIN, "file:there.is.none"):
        with pytest.raises(NotFoundError) as raised:
            lee.approve_origin(origin, seen=review.seen)
        messages.add(str(raised.value).replace(origin, "…"))
    assert len(messages) == 1
    later = memory.session(person="kim")
    assert rule_of(lambda: later.approve_origin(ORIGIN, seen=review.seen)) == "SECRET_NEEDED"
    bot.import_lines(["one more line"], origin=ORIGIN)
    assert rule_of(lambda: kim.approve_origin(ORIGIN, seen=review.seen)) == "PAYLOAD_CHANGED"
    assert {claim.standing.value for claim in kim.claims()} == {"pending"}


def test_a_file_is_marked_as_hers_up_to_a_preference(quick: Open) -> None:
    memory = quick()
    kim, _ = brought(memory, "나는 짧은 답이 좋다.", "I like tea.", "hid\u200bden")

    request = kim.request_own(origin=ORIGIN, category="preference")

    assert (request.lines, request.hidden, request.reach) == (2, 1, "PREFER")
    assert set(request.sample) == {"나는 짧은 답이 좋다.", "I like tea."}
    marked = kim.mark_own(request.nonce, digest=request.digest)
    own = [kim.claim(one) for one in marked.claims]
    assert [one.words for one in own] == ["나는 짧은 답이 좋다.", "I like tea."]
    for one in own:
        assert (one.kind, one.integrity, one.authority.name) == (
            "stated", Integrity.USER, "PREFER",
        )  # fmt: skip
        (original,) = (cited.id for cited in one.citations if not cited.medium)
        assert kim.claim(original).integrity is Integrity.EXTERNAL
    assert kim.recall("tea?", purpose="instruct").evidence == ()
    assert review_of(kim).claims == 1  # what holds hidden characters still waits
    with pytest.raises(NotFoundError):
        kim.mark_own(request.nonce, digest=request.digest)  # once
    with pytest.raises(NotFoundError):
        kim.request_own(origin="file:other.txt")
    erasure = kim.erase(own[1].citations[1].id if own[1].citations[1].medium is None else own[1].id)
    assert own[1].id in erasure.claims
    assert memory.rebuild() and findings(memory) == ()


def test_a_paste_or_a_dictation_is_marked_as_hers_line_by_line(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    kim.set_secret(SECRET)
    spoken = "회의는 오전이 좋다.\n\nKeep it short.\n"
    said = kim.message(parts=[("own", "받아쓰기: "), ("pasted", spoken), ("quoted", "> not mine")])

    request = kim.request_own(said, category="preference")

    assert request.sample == ("회의는 오전이 좋다.", "Keep it short.")  # all of it, not some
    marked = kim.mark_own(request.nonce, digest=request.digest)
    assert [kim.claim(one).words for one in marked.claims] == list(request.sample)
    assert {kim.claim(one).integrity for one in marked.claims} == {Integrity.USER}
    erasure = kim.erase(said)
    assert {*marked.claims} <= {*erasure.claims}
    assert "Keep it short" not in "".join(kim.export())
    with pytest.raises(InvalidError):
        kim.request_own()
    ran = bot.tool_result("ci", text="green")
    with pytest.raises(InvalidError, match="neither a message nor a document"):
        kim.request_own(ran)


def test_no_more_than_a_preference_no_account_no_agent_no_forgotten_secret(
    quick: Open,
) -> None:
    clock = HandClock()
    memory = quick(clock=clock)
    kim, bot = brought(memory)
    wanted = {
        "constraint": "MARKED_TOO_HIGH",
        "account": "NEVER_ENDORSED",
        "contact": "NEVER_ENDORSED",
    }
    for category, rule in wanted.items():
        assert rule_of(partial(kim.request_own, origin=ORIGIN, category=category)) == rule
    assert rule_of(lambda: bot.request_own(origin=ORIGIN)) == "ONLY_SHE_APPROVES"
    request = kim.request_own(origin=ORIGIN)
    assert (
        rule_of(lambda: bot.mark_own(request.nonce, digest=request.digest)) == "ONLY_SHE_APPROVES"
    )
    assert rule_of(lambda: kim.mark_own(request.nonce, digest="0")) == "PAYLOAD_CHANGED"
    bot.import_lines(["one more"], origin=ORIGIN)
    assert rule_of(lambda: kim.mark_own(request.nonce, digest=request.digest)) == "PAYLOAD_CHANGED"
    later = memory.session(person="kim")
    fresh = later.request_own(origin=ORIGIN)
    assert rule_of(lambda: later.mark_own(fresh.nonce, digest=fresh.digest)) == "SECRET_NEEDED"
    clock.move(timedelta(minutes=10))
    later.prove(SECRET)
    assert rule_of(lambda: later.mark_own(fresh.nonce, digest=fresh.digest)) == "REQUEST_LAPSED"
    lee = memory.session(person="lee")
    lee.import_lines(["lee's line"], origin=ORIGIN)
    theirs = lee.request_own(origin=ORIGIN)
    assert theirs.sample == ("lee's line",)
    assert rule_of(lambda: lee.mark_own(theirs.nonce, digest=theirs.digest)) == "NO_SECRET"
    assert {claim.integrity for claim in kim.claims()} == {Integrity.EXTERNAL}


def test_no_model_does_any_of_it_by_any_route(quick: Open) -> None:
    """Every verb of a session, tried by an agent with all that a model could know."""
    memory = quick()
    kim, bot = brought(memory)
    review, request = review_of(kim), kim.request_own(origin=ORIGIN)
    claim = next(kim.claims())
    known: dict[str, object] = {
        "claim": claim, "thing": claim, "text": claim.words, "nonce": request.nonce, "digest": request.digest,
        "secret": SECRET, "former": SECRET, "sources": [claim], "source": claim.citations[0].id, "kind": "stated",
        "category": "preference", "origin": ORIGIN, "seen": review.seen, "lines": list(kim.export()),
    }  # fmt: skip
    for name, verb in inspect.getmembers(bot, inspect.ismethod):
        if name.startswith("_") or name in ("investigate", "request_forget"):
            continue
        wanted = {one: known[one] for one in inspect.signature(verb).parameters if one in known}
        for left in ((), ("origin",), ("source",), ("sources", "kind")):
            given = {one: value for one, value in wanted.items() if one not in left}
            # Whatever it says to the agent, what matters is what stands afterwards.
            with suppress(Exception):
                found = verb(**given)
                list(found) if inspect.isgenerator(found) else None

    claims = list(kim.claims())
    assert {one.integrity for one in claims if one.kind == "stated"} == set()
    assert all(one.integrity < Integrity.USER for one in claims)
    assert (
        next(kim.review_origins()).claims >= 29
    )  # under its own name, what the export holds waits too


def test_words_that_are_no_text_are_named_and_a_text_is_no_file(quick: Open) -> None:
    kim = quick().session(person="kim")

    report = kim.import_lines(["좋은 줄", "a \ud800 b", "x" * 4_001, "\x00"])

    assert [error.line for error in report.errors] == [2, 3, 4]
    assert (report.accepted, report.waiting) == (1, 1)
    with pytest.raises(InvalidError, match="split"):
        kim.import_lines("one text")
    for origin in ("", " ", "\x00", "x" * 2_001):
        with pytest.raises(InvalidError):
            kim.import_lines(["a"], origin=origin)
    assert kim.import_lines([]).accepted == 0


def test_no_verb_takes_from_its_caller_that_words_are_hers() -> None:
    given = {
        name
        for verb in (Session.import_lines, Session.mark_own, Session.approve_origin)
        for name in inspect.signature(verb).parameters
    }

    assert given == {
        "self", "lines", "origin", "progress", "nonce", "digest", "seen", "reason", "code",
    }  # fmt: skip
