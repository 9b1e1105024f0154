"""The small world: two stores that differ only in what somebody may not read give her the same answers, byte for byte.

Every verb is tried by every sort of asker on everything there is, hers and others', in a world where the others did all
they can and in one where they did nothing. Identifiers come from a factory of each hand, so the very same identifier is
forbidden in one world and unknown in the other.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from muniment import Claim, Memory, MunimentError, Session
from muniment.policy import VERBS
from muniment.testing import HandClock, HandIds, flat_embedder

SECRET = "nine green 거북이"
PAGE = "https://wiki.example/ops"
SAID = "배포는 금요일. We deploy on Fridays. 예산은 quokka 5."
# What an investigation holds on purpose of the whole journal: every header, which hold no words (decision 0020).
WHOLE_JOURNAL = ("bundle", "checkpoint", "verification", "key")
Asked = Callable[[], object]


class World:
    """A store in which the askers have something of their own, and others did some of what they can do."""

    def __init__(self, folder: Path, others: Sequence[str]) -> None:
        self.ids, self.clock = HandIds("own"), HandClock()
        self.memory = Memory.open(folder, ids=self.ids, clock=self.clock, embedder=flat_embedder())
        self.things: dict[str, dict[str, str]] = {}
        for name, place in ASKERS.items():
            if name not in ("stranger", "nobody"):
                self.things[name] = self._own(name, self.memory.session(**place))
        self.ids.hand = "oth"
        for other in others:
            OTHERS[other](self)
        self.ids.hand = "own"

    def _own(self, name: str, session: Session) -> dict[str, str]:
        said = session.message(SAID)
        page = session.document("Logs go to the hall. Use tabs.", origin=PAGE)
        session.tool_result("ci", {"exit_code": 0})
        kept = session.remember(
            "We deploy on Fridays.",
            kind="stated",
            sources=[said],
            subject="deploy",
            attribute="day",
            value="Friday",
        )
        other = session.remember("예산은 quokka 5.", sources=[said], category="constraint")
        gone = session.retract(session.remember("금요일.", sources=[said]))
        derived = session.remember("so on Friday", sources=[said, kept])
        outside = session.remember("Use tabs.", kind="external", sources=[page])
        receipt = session.recall("언제 배포해? quokka").receipt
        found = {
            "said": said.id,
            "page": page.id,
            "kept": kept.id,
            "other": other.id,
            "gone": gone.id,
        }
        return {**found, "derived": derived.id, "outside": outside.id, "receipt": receipt}


ASKERS: dict[str, dict[str, str]] = {
    "kim": {"person": "김대리", "project": "apollo", "session": "s1"},
    "kims bot": {"person": "김대리", "project": "apollo", "session": "s1", "agent": "bot"},
    "kim in the channel": {"person": "김대리", "channel": "견적", "session": "s1"},
    "the bot alone": {"project": "apollo", "agent": "bot", "session": "s1"},
    "stranger": {"person": "stranger", "project": "apollo"},
    "nobody": {},
}

# --- what the others do --------------------------------------------------------------------------------------------

LEE = {"person": "lee", "project": "apollo", "session": "s1"}
ELSEWHERE = (
    LEE,
    {**LEE, "agent": "bot"},
    {**LEE, "agent": "other bot"},
    {"person": "김대리", "project": "zephyr", "session": "s1"},
    {"person": "김대리", "project": "zephyr", "session": "s1", "agent": "bot"},
    {"person": "lee", "channel": "sales", "session": "s1"},
    {"agent": "bot", "project": "zephyr", "session": "s1"},
)


def _keeps(world: World) -> None:
    """Say, remember and ask the same and other things everywhere else."""
    for number, place in enumerate(ELSEWHERE):
        session = world.memory.session(**place)
        for text in (SAID, f"glockenspiel {number} 비밀. quokka quokka quokka."):
            said = (
                session.message(text, key=f"k{number}") if text is SAID else session.message(text)
            )
            kept = session.remember(
                text,
                kind="stated",
                category="preference",
                sources=[said],
                subject="deploy",
                attribute="day",
                value="Monday",
            )
            session.remember(
                f"so {text}",
                sources=[kept, said],
                subject="deploy",
                attribute="day",
                value="Sunday",
            )
            page = session.document(f"Logs go to the hall. {text}", origin=PAGE)
            session.remember(page.text, kind="external", category="constraint", sources=[page])
        session.tool_result("ci", {"exit_code": 0}, "glockenspiel")
        session.recall("quokka glockenspiel 배포")
        session.search_conversations("quokka")
        list(session.export())


def _changes(world: World) -> None:
    """Correct, supersede, retract, challenge, confirm, make anew and revoke elsewhere."""
    for place in ELSEWHERE:
        session = world.memory.session(**place)
        said = session.message("We deploy on Fridays. No: on Mondays. 예산은 quokka 5.")
        first = session.remember(
            "We deploy on Fridays.",
            sources=[said],
            subject="deploy",
            attribute="day",
            value="Friday",
        )
        rests = session.remember("so on Friday", sources=[first])
        session.correct(first, "No: on Mondays.", sources=[said], value="Monday")
        session.regenerate(rests, "so on Monday", sources=[said])
        gone = session.remember("예산은 quokka 5.", sources=[said])
        session.challenge(gone, "예산은 6", sources=[said])
        session.retract(gone)
        if "agent" not in place:
            back = session.reinstate(session.claim(gone.id), sources=[said])
            session.confirm(back, sources=[said])
        page = session.document("Use tabs. v1", origin=PAGE)
        session.document("Use tabs. v2", origin=PAGE, replaces=page)


def _persons(world: World) -> None:
    """Yield what only a person herself does: erasing, muting, pausing, revoking, blocks, secrets, endorsements."""
    for place in ELSEWHERE:
        if "agent" in place or not place.get("person"):
            continue
        session = world.memory.session(**place)
        said = session.message(SAID)
        claim = session.remember("We deploy on Fridays.", kind="stated", sources=[said])
        session.mute(claim)
        if place["person"] == "lee":  # a theme is muted for all of a person, wherever she says so
            session.mute(theme="quokka")
        page = session.document("Use tabs.", origin=PAGE)
        outside = session.remember("Use tabs.", kind="external", sources=[page])
        for _ in range(5):
            session.request_endorsement(outside, category="preference")
        for said_so in (
            partial(session.revoke, page),
            partial(
                session.erase, session.remember("예산은 quokka 5.", kind="stated", sources=[said])
            ),
            partial(session.erase, session.message("Logs go to the hall. Use tabs.")),
        ):
            with suppress(MunimentError):  # in a channel what was said is the channel's
                said_so()
        session.pause("project" if place.get("project") else "session")


def _lees(world: World) -> None:
    """Do with lee's own what reaches all of a person: her block, her secret, her account, a hold on her."""
    lee = world.memory.session(**LEE)
    lee.resume()
    lee.rewrite_block("Call me quokka\nWe deploy on Fridays.")
    lee.set_secret(SECRET)
    for _ in range(3):
        with pytest.raises(MunimentError):
            world.memory.session(**LEE).prove("wrong 거북이 wrong")
    lees = world.memory.session(**LEE, agent="bot")
    said = lee.message("glockenspiel")
    lees.request_forget(lee.remember("glockenspiel", kind="stated", sources=[said]))
    world.memory.set_account("lee", "paused")
    world.memory.hold(person="lee", reason="a case")
    world.memory.pause(project="zephyr")


OTHERS: dict[str, Callable[[World], None]] = {
    "keep": _keeps,
    "change": _changes,
    "decide": _persons,
    "own": _lees,
}

# --- every verb ----------------------------------------------------------------------------------------------------


def foreign(memory: Memory) -> list[str]:
    """Return identifiers of others' hand, of every sort of record and every state of a claim."""
    state, found = memory.store.state, dict[object, str]()
    for seq in range(1, state.seq + 1):
        header = memory.store.header(seq)
        claim = state.claims.get(seq)
        sort = (header.op, getattr(header, "medium", ""), getattr(header, "type", ""))
        of_claim = (claim.lifecycle, claim.fresh, seq in state.restraint.muted) if claim else ()
        if header.id.startswith("oth"):
            found[sort, of_claim] = header.id
    return list(found.values())


def names(world: World, asker: str) -> list[str]:
    """Return identifiers an asker may think of: her own, one of each sort of the other askers', and none at all."""
    own = list(world.things.get(asker, {}).values())
    theirs = [
        world.things[other][sort]
        for other in world.things
        for sort in ("kept", "said", "receipt")
        if other != asker
    ]
    return [name for name in (*own, *theirs, "unheard of") if name]


SEAL = '"type": "seal"'  # the store's own signature
Trial = Callable[[Session, str], object]
ON_ANYTHING: dict[str, Trial] = {
    "claim": lambda one, it: one.claim(it),
    "source": lambda one, it: one.source(it),
    "why": lambda one, it: one.why(it),
    "trace": lambda one, it: one.trace(it),
    "evidence_of": lambda one, it: one.evidence_of(it),
    "consequences": lambda one, it: one.consequences(it),
    "history": lambda one, it: one.history(it),
    "investigate": lambda one, it: one.investigate(it),
    "replay": lambda one, it: one.replay(it),
    "why_not": lambda one, it: one.why_not(it, it),
    "compare": lambda one, it: one.compare(it, it),
    "difference": lambda one, it: one.difference(it),
    "choices": lambda one, it: one.choices(it),
    "export_procedure": lambda one, it: one.export_procedure(it),
}
CHANGING: dict[str, Trial] = {
    "remember": lambda one, it: one.remember("x", sources=[it]),
    "confirm": lambda one, it: one.confirm(it, version=7),
    "correct": lambda one, it: one.correct(it, "x", version=7, sources=[it]),
    "supersede": lambda one, it: one.supersede(it, "x", version=7),
    "retract": lambda one, it: one.retract(it, version=7),
    "regenerate": lambda one, it: one.regenerate(it, "x", version=7, sources=[it]),
    "reinstate": lambda one, it: one.reinstate(it, version=7),
    "approve": lambda one, it: one.approve(it, version=7),
    "reject": lambda one, it: one.reject(it, version=7),
    "challenge": lambda one, it: one.challenge(it, "x", sources=["unheard of"]),
    "put_back_block": lambda one, it: one.put_back_block(it),
    "endorse": lambda one, it: one.endorse(it, digest=it),
    "decline_endorsement": lambda one, it: one.decline_endorsement(it),
    "erase": lambda one, it: one.erase(it, dry_run=True),
    "decline_forget": lambda one, it: one.decline_forget(it),
    "keep_as_quotation": lambda one, it: one.keep_as_quotation(it, version=7),
    "finish_task": lambda one, it: one.finish_task(it, version=7),
    "request_own": lambda one, it: one.request_own(it),
    "mark_own": lambda one, it: one.mark_own(it, digest=it),
    "approve_origin": lambda one, it: one.approve_origin(it, seen=it),
    "reject_origin": lambda one, it: one.reject_origin(it, seen=it),
    "message": lambda one, it: one.message("We deploy on Mondays.", replaces=it),
    "document": lambda one, it: one.document("Use spaces.", origin=PAGE, replaces=it),
}
# Tried on others' things only: on her own it would change what comes after.
ON_OTHERS: dict[str, Trial] = {
    "attach": lambda one, it: one.attach(it, answer="quokka", trace="t"),
    "revoke": lambda one, it: one.revoke(it),
    "give_back": lambda one, it: one.give_back(it),
    "mute": lambda one, it: one.mute(it),
    "unmute": lambda one, it: one.unmute(it),
    "request_forget": lambda one, it: one.request_forget(it),
    "request_endorsement": lambda one, it: one.request_endorsement(it, category="preference"),
    "rewrite_block": lambda one, it: one.rewrite_block("a line", sources=[it]),
    "declare_sensitive": lambda one, it: one.declare_sensitive(it),
    "lift_sensitive": lambda one, it: one.lift_sensitive(it),
}
OF_OWN: dict[str, Callable[[Session], Iterator[Asked]]] = {
    "may": lambda one: (partial(one.may, right) for right in ("accumulate", "prompt", "manage")),
    "lower_mark": lambda one: iter([lambda: one.mark]),
    "recall": lambda one: (
        partial(one.recall, question, purpose=purpose, limit=limit)
        for question in ("quokka", "배포는 언제?", "glockenspiel 비밀", "")
        for purpose in ("answer", "personalise", "act", "instruct")
        for limit in (1, 50)
    ),
    "assemble": lambda one: (
        partial(one.assemble, question, limit=limit, mode=mode, connect=True)
        for question in ("quokka", "배포는 언제?", "glockenspiel 비밀")
        for limit in (1, 50)
        for mode in ("live", "frozen")
    ),
    "search_conversations": lambda one: (
        partial(one.search_conversations, question, limit=limit)
        for question in ("quokka", "glockenspiel 비밀")
        for limit in (1, 50)
    ),
    "claims": lambda one: iter([lambda: list(one.claims())]),
    "stale": lambda one: iter([lambda: list(one.stale())]),
    "export": lambda one: iter([lambda: [row for row in one.export() if SEAL not in row]]),
    "state": lambda one: iter([one.state, lambda: one.state("ko")]),
    "tasks": lambda one: iter([lambda: list(one.tasks(everything=True))]),
    "procedures": lambda one: iter([lambda: list(one.procedures())]),
    "sensitive": lambda one: iter([one.sensitive]),
    "review_origins": lambda one: iter([lambda: list(one.review_origins())]),
    "retention": lambda one: iter([lambda: one.retention(dry_run=True)]),
    "retentions": lambda one: iter([one.retentions]),
    "prov": lambda one: iter([one.prov]),
    "mutes": lambda one: iter([one.mutes]),
    "forget_requests": lambda one: iter([one.forget_requests]),
    "review": lambda one: iter([lambda: list(one.review())]),
    "block": lambda one: iter([one.block]),
    "block_history": lambda one: iter([one.block_history]),
    "waiting_block": lambda one: iter([one.waiting_block]),
    "weigh": lambda one: (
        partial(one.weigh, "deploy", "day", by=by) for by in ("count", "accuracy")
    ),
    "weighings": lambda one: iter([lambda: list(one.weighings(by="accuracy"))]),
    "backdated": lambda one: iter([lambda: list(one.backdated())]),
    "tool_result": lambda one: iter([lambda: one.tool_result("ci", {"exit_code": 0})]),
    "prove": lambda one: iter([lambda: one.prove("wrong 거북이 wrong")]),
    "accept_block": lambda one: iter([one.accept_block]),
    "decline_block": lambda one: iter([one.decline_block]),
    "erase_conversation": lambda one: iter(
        [partial(one.erase_conversation, name, dry_run=True) for name in ("s1", "s9")]
    ),
    "erase_scope": lambda one: iter([lambda: one.erase_scope(dry_run=True)]),
    "task": lambda one: iter([lambda: one.task("quokka 보고서를 마친다")]),
    "keep_procedure": lambda one: iter(
        [lambda: one.keep_procedure("deploy-a-service", "배포한다", description="배포")]
    ),
    "import_lines": lambda one: iter(
        [lambda: one.import_lines(["a quokka line"], origin="file:notes")]
    ),
    # What changes most comes last, in this order.
    "message": lambda one: (
        partial(one.message, text, key=key)
        for text, key in (
            (SAID, "k0"),
            ("glockenspiel 0 비밀. quokka quokka quokka.", "k1"),
            (SAID, ""),
        )
    ),
    "document": lambda one: iter(
        [partial(one.document, "Logs go to the hall. Use tabs.", origin=PAGE)]
    ),
    "rewrite_block": lambda one: iter([lambda: one.rewrite_block("Call me quokka")]),
    "clear_block": lambda one: iter([lambda: one.clear_block(dry_run=True), one.clear_block]),
    "set_secret": lambda one: iter([lambda: one.set_secret(SECRET), lambda: one.prove(SECRET)]),
    "pause": lambda one: iter([lambda: one.pause("session")]),
    "resume": lambda one: iter([one.resume, lambda: one.may("prompt")]),
}


def own_changes(session: Session, own: dict[str, str]) -> Iterator[tuple[str, Asked]]:
    """Yield what an asker does with what is hers, by verb: each of them to an end."""

    def claim(name: str) -> Claim:
        return session.claim(own[name])

    yield "confirm", lambda: session.confirm(claim("kept"), sources=[own["said"]])
    yield "challenge", lambda: session.challenge(own["other"], "예산은 6", sources=[own["said"]])
    yield "mute", lambda: session.mute(own["other"])
    yield "recall", lambda: session.recall("quokka")
    yield "unmute", lambda: session.unmute(own["other"])
    yield "reinstate", lambda: session.reinstate(claim("gone"), sources=[own["said"]])
    yield (
        "request_endorsement",
        lambda: session.request_endorsement(own["outside"], category="preference"),
    )
    yield "request_forget", lambda: session.request_forget(own["other"])
    yield (
        "correct",
        lambda: session.correct(claim("kept"), "예산은 quokka 5.", sources=[own["said"]]),
    )
    yield "stale", lambda: list(session.stale())
    yield (
        "regenerate",
        lambda: session.regenerate(claim("derived"), "so it is", sources=[own["said"]]),
    )
    yield "revoke", lambda: session.revoke(own["page"])
    yield "give_back", lambda: session.give_back(own["page"])
    yield (
        "remember",
        lambda: session.remember("We deploy on Fridays.", kind="stated", sources=[own["said"]]),
    )
    yield "erase", lambda: session.erase(own["other"])
    yield "message", lambda: session.message("예산은 quokka 5.")
    yield "recall", lambda: session.recall("quokka")
    yield "claims", lambda: list(session.claims())


def questions(world: World, asker: str, others: Sequence[str]) -> Iterator[tuple[str, Asked]]:
    """Yield everything an asker does, by verb, in one order for every world."""
    session = world.memory.session(**ASKERS[asker])
    every = [*names(world, asker), *others]
    for verb, trial in (*ON_ANYTHING.items(), *CHANGING.items()):
        for name in every:
            yield f"{verb} {name}", partial(trial, session, name)
    for verb, trial in ON_OTHERS.items():
        for name in (*others, "unheard of"):
            yield f"{verb} {name}", partial(trial, session, name)
    for name in others:
        yield f"why {name}", partial(session.why, world.things["kim"]["receipt"], claim=name)
        yield f"why_not {name}", partial(session.why_not, name, world.things["kim"]["receipt"])
    for name in others[::8]:  # each is kept, whatever it names
        parts: list[tuple[str, str] | tuple[str, str, str]] = [
            ("own", "as you said: "),
            ("recalled", SAID, name),
        ]
        yield f"message of {name}", partial(session.message, parts=parts)
    for verb, made in OF_OWN.items():
        for number, asked in enumerate(made(session)):
            yield f"{verb} {number}", asked
    if asker in world.things:
        for verb, asked in own_changes(session, world.things[asker]):
            yield verb, asked


def answered(asked: Asked) -> str:
    """Return an answer or an error with all that it tells, without what is random and what is meant to tell more."""
    try:
        found: Any = asked()
    except MunimentError as error:
        more = [
            getattr(error, name, "") for name in ("decision", "difference", "current", "findings")
        ]
        return f"{type(error).__name__}: {error} {more!r}"
    if hasattr(found, "bundle"):
        found = found.model_copy(update=dict.fromkeys(WHOLE_JOURNAL, ""))
    text = repr(found)
    text = re.sub(r"nonce='[^']*'", "nonce=''", text)
    text = re.sub(r"quotation [\w-]{22} ", "quotation KEY ", text)
    text = re.sub(r"muniment/default/[0-9a-f]{16}", "KEY", text)
    return re.sub(r"digest='[0-9a-f]{64}'", "digest=''", text)


def all_answers(world: World, named: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return every answer of a world: asker, question, answer, identifiers numbered as they come up."""
    known: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        return known.setdefault(found[0], f"#{len(known)}")

    return [
        (asker, question, re.sub(r"(?:own|oth)[A-Z]+\d+", numbered, answered(asked)))
        for asker in ASKERS
        for question, asked in questions(world, asker, named)
    ]


def differing(
    first: Sequence[tuple[str, str, str]], second: Sequence[tuple[str, str, str]]
) -> list[str]:
    """Return what was answered otherwise, told at the place where it differs."""
    told: list[str] = []
    for (asker, question, one), (_, _, other) in zip(first, second, strict=True):
        if one != other:
            place = next(
                (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
                min(len(one), len(other)),
            )
            start = max(place - 60, 0)
            told.append(
                f"{asker}, {question}:\n   {one[start : place + 160]}\n   {other[start : place + 160]}"
            )
    return told


def test_every_verb_is_asked() -> None:
    own = {verb for verb, _ in own_changes(None, {})}  # type: ignore[arg-type]
    asked = {*ON_ANYTHING, *CHANGING, *ON_OTHERS, *OF_OWN, *own}

    assert set(VERBS) - asked == set() and asked - set(VERBS) == {"may", "lower_mark", "state"}


def told_apart(folder: Path, others: Sequence[str]) -> list[str]:
    """Return the answers that tell a world in which others did these things from one in which they did nothing."""
    busy, quiet = World(folder / "busy", others), World(folder / "quiet", ())
    with busy.memory, quiet.memory:
        named = foreign(busy.memory)
        return differing(all_answers(quiet, named), all_answers(busy, named))


def test_what_others_did_changes_no_answer(tmp_path: Path) -> None:
    found = told_apart(tmp_path, tuple(OTHERS))

    assert found == [], "\n".join([f"{len(found)} answers differ", *found[:20]])


@pytest.mark.exhaustive
@pytest.mark.parametrize("other", OTHERS)
def test_nothing_that_others_did_changes_any_answer(tmp_path: Path, other: str) -> None:
    found = told_apart(tmp_path, (other,))

    assert found == [], "\n".join([f"{len(found)} answers differ", *found[:20]])
