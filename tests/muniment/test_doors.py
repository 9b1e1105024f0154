"""Every public verb of a session passes the gate of pauses and the record: a new one fails here until it is tried."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from muniment import Claim, Memory, RefusedError, Right, Session
from muniment.policy import VERBS

SECRET = "nine green 거북이"
# What is no verb over memory: it answers about the session itself.
ABOUT_THE_SESSION = {"lower_mark", "may", "state"}


class Given:
    """What the verbs are tried on: a source, and claims in the states that they need."""

    def __init__(self, memory: Memory) -> None:
        self.kim = memory.session(person="kim", project="apollo", session="s1")
        self.bot = memory.session(person="kim", project="apollo", session="s1", agent="bot")
        self.source = self.kim.message("배포는 금요일. We deploy on Fridays. 예산은 5.")
        self.claim = self._stated("We deploy on Fridays.")
        self.asked = self._stated("배포는 금요일.")
        self.bot.request_forget(self.asked)
        self.muted = self._stated("예산은 5.")
        self.kim.mute(self.muted)
        gone = self.kim.remember("금요일.", kind="inferred", sources=[self.source])
        self.derived = self.kim.remember("so on Friday", sources=[gone])
        self.gone = self.kim.retract(gone)
        page = self.kim.document("Logs go to the hall. Use tabs.", origin="https://wiki.example")
        self.waiting = self.bot.remember("she is lonely", category="theme", sources=[self.source])
        outside = self.kim.remember("Use tabs.", kind="external", sources=[page])
        self.kim.set_secret(SECRET)
        self.kim.prove(SECRET)
        self.shown = self.kim.request_endorsement(outside, category="preference")
        self.outside = self.kim.remember("Logs go to the hall.", kind="external", sources=[page])
        self.receipt = self.kim.recall("언제 배포해?").receipt
        self.edited = self.kim.message("배포는 언제나 좋다.")
        self.kim.message("배포는 언제나 어렵다.", replaces=self.edited)
        self.kim.import_lines(["줄 하나", "a line"], origin="file:notes")
        (self.review,) = self.kim.review_origins()
        self.own = self.kim.request_own(origin="file:notes")
        self.task = self.kim.task("문서를 고친다")
        clean = memory.session(person="kim", project="apollo")
        self.procedure = clean.keep_procedure("deploy-a-service", "배포한다", description="배포")
        self.block = self.kim.rewrite_block("Call me 민지")
        self.bot.rewrite_block("Call me 민지\nUse tabs.", sources=[page])

    def _stated(self, words: str) -> Claim:
        return self.kim.remember(words, kind="stated", sources=[self.source])


Trying = Callable[[Session, Given], Any]
VERB: dict[str, Trying] = {
    "message": lambda one, _: one.message("하나 더"),
    "tool_result": lambda one, _: one.tool_result("ci", {"exit_code": 0}),
    "document": lambda one, _: one.document("a page", origin="https://wiki.example"),
    "remember": lambda one, it: one.remember("We deploy", sources=[it.source]),
    "confirm": lambda one, it: one.confirm(it.claim, sources=[it.source]),
    "correct": lambda one, it: one.correct(it.claim, "배포는 금요일.", sources=[it.source]),
    "supersede": lambda one, it: one.supersede(it.claim, "배포는 금요일.", sources=[it.source]),
    "regenerate": lambda one, it: one.regenerate(it.derived, "so it is", sources=[it.source]),
    "reinstate": lambda one, it: one.reinstate(it.gone, sources=[it.source]),
    "challenge": lambda one, it: one.challenge(it.claim, "배포는 금요일.", sources=[it.source]),
    "recall": lambda one, _: one.recall("배포는 언제?"),
    "assemble": lambda one, _: one.assemble("배포는 언제?", stable="늘 존댓말을 쓴다."),
    "search_conversations": lambda one, _: one.search_conversations("배포"),
    "why": lambda one, it: one.why(it.claim),
    "trace": lambda one, it: one.trace(it.claim),
    "evidence_of": lambda one, it: one.evidence_of(it.claim),
    "investigate": lambda one, it: one.investigate(it.claim),
    "prov": lambda one, _: one.prov(),
    "history": lambda one, it: one.history(it.claim),
    "claim": lambda one, it: one.claim(it.claim.id),
    "source": lambda one, it: one.source(it.source.id),
    "claims": lambda one, _: list(one.claims()),
    "replay": lambda one, it: one.replay(it.receipt),
    "attach": lambda one, it: one.attach(it.receipt, answer="금요일입니다.", trace="t-1"),
    "why_not": lambda one, it: one.why_not(it.claim, it.receipt),
    "compare": lambda one, it: one.compare(it.receipt, it.receipt),
    "difference": lambda one, it: one.difference(it.edited),
    "weigh": lambda one, _: one.weigh("deploy", "day"),
    "weighings": lambda one, _: list(one.weighings()),
    "backdated": lambda one, _: list(one.backdated()),
    "stale": lambda one, _: list(one.stale()),
    "export": lambda one, _: list(one.export()),
    "import_lines": lambda one, _: one.import_lines(["another line"]),
    "review_origins": lambda one, _: list(one.review_origins()),
    "approve_origin": lambda one, it: one.approve_origin("file:notes", seen=it.review.seen),
    "reject_origin": lambda one, it: one.reject_origin("file:notes", seen=it.review.seen),
    "request_own": lambda one, _: one.request_own(origin="file:notes"),
    "mark_own": lambda one, it: one.mark_own(it.own.nonce, digest=it.own.digest),
    "mutes": lambda one, _: one.mutes(),
    "sensitive": lambda one, _: one.sensitive(),
    "declare_sensitive": lambda one, it: one.declare_sensitive(it.claim),
    "lift_sensitive": lambda one, it: one.lift_sensitive(it.claim),
    "forget_requests": lambda one, _: one.forget_requests(),
    "consequences": lambda one, it: one.consequences(it.gone),
    "review": lambda one, _: list(one.review()),
    "block": lambda one, _: one.block(),
    "block_history": lambda one, _: one.block_history(),
    "waiting_block": lambda one, _: one.waiting_block(),
    "approve": lambda one, it: one.approve(it.waiting),
    "reject": lambda one, it: one.reject(it.waiting),
    "choices": lambda one, it: one.choices(it.claim),
    "keep_as_quotation": lambda one, it: one.keep_as_quotation(it.waiting),
    "request_endorsement": lambda one, it: one.request_endorsement(it.outside),
    "endorse": lambda one, it: one.endorse(it.shown.nonce, digest=it.shown.digest),
    "decline_endorsement": lambda one, it: one.decline_endorsement(it.shown.nonce),
    "set_secret": lambda one, _: one.set_secret("another 거북이", former=SECRET),
    "prove": lambda one, _: one.prove(SECRET),
    "task": lambda one, _: one.task("표를 고친다"),
    "tasks": lambda one, _: list(one.tasks()),
    "finish_task": lambda one, it: one.finish_task(it.task),
    "keep_procedure": lambda one, _: one.keep_procedure("roll-back", "back", description="d"),
    "procedures": lambda one, _: list(one.procedures()),
    "export_procedure": lambda one, it: one.export_procedure(it.procedure),
    "rewrite_block": lambda one, _: one.rewrite_block("Call me 민지\nI like tea"),
    "accept_block": lambda one, _: one.accept_block(),
    "decline_block": lambda one, _: one.decline_block(),
    "put_back_block": lambda one, it: one.put_back_block(it.block.id),
    "clear_block": lambda one, _: one.clear_block(),
    "retract": lambda one, it: one.retract(it.claim),
    "revoke": lambda one, it: one.revoke(it.source),
    "give_back": lambda one, it: one.give_back(it.source),
    "mute": lambda one, it: one.mute(it.claim),
    "unmute": lambda one, it: one.unmute(it.muted),
    "request_forget": lambda one, it: one.request_forget(it.claim),
    "decline_forget": lambda one, it: one.decline_forget(it.asked),
    "pause": lambda one, _: one.pause("session"),
    "resume": lambda one, _: one.resume(),
    "retention": lambda one, _: one.retention(),
    "retentions": lambda one, _: one.retentions(),
    "erase": lambda one, it: one.erase(it.claim),
    "erase_conversation": lambda one, _: one.erase_conversation("s1"),
    "erase_scope": lambda one, _: one.erase_scope(),
}
LOOKS = {
    "choices",
    "why",
    "trace",
    "evidence_of",
    "investigate",
    "prov",
    "history",
    "claim",
    "source",
    "claims",
    "stale",
    "replay",
    "why_not",
    "compare",
    "difference",
    "weigh",
    "weighings",
    "backdated",
    "retentions",
    "mutes",
    "sensitive",
    "forget_requests",
    "consequences",
    "review",
    "review_origins",
    "block",
    "block_history",
    "waiting_block",
    "tasks",
    "procedures",
}


def public_verbs() -> Iterator[str]:
    """Yield the names of everything a session lets its caller do."""
    for name in dir(Session):
        if not name.startswith("_") and callable(getattr(Session, name)):
            yield name


@pytest.fixture
def memory(store: Callable[..., Memory]) -> Memory:
    """Return a store in which an interpretation of the person waits for her."""
    first = store()
    first.close()
    (first.path / "policy.toml").write_text('format = 1\npreset = "journal"\n', encoding="utf-8")
    return store()


@pytest.fixture
def given(memory: Memory) -> Given:
    """Return what the verbs are tried on."""
    return Given(memory)


def test_every_public_verb_says_which_right_it_needs_and_is_tried_here() -> None:
    verbs = set(public_verbs()) - ABOUT_THE_SESSION

    assert verbs == set(VERBS) == set(VERB)


@pytest.mark.parametrize("verb", VERB)
def test_while_paused_it_keeps_nothing_and_brings_nothing_up(
    given: Given, record: Callable[[], dict[str, bytes]], verb: str
) -> None:
    given.kim.pause()
    before = record()

    match VERBS[verb]:
        case Right.ACCUMULATE:
            with pytest.raises(RefusedError, match="PAUSED"):
                VERB[verb](given.kim, given)
            assert record() == before
        case Right.PROMPT:
            found = VERB[verb](given.kim, given)
            assert (found.looked, found.notes[0].startswith("PAUSED")) == (False, True)
            assert record() == before
        case Right.MANAGE:
            VERB[verb](given.kim, given)  # what is hers stays hers to manage
            assert verb not in LOOKS or record() == before


@pytest.mark.parametrize("verb", VERB)
def test_while_paused_an_agent_gets_nothing_by_any_verb(
    given: Given, record: Callable[[], dict[str, bytes]], verb: str
) -> None:
    given.kim.pause()
    before = record()

    if VERBS[verb] is Right.PROMPT:
        assert not VERB[verb](given.bot, given).looked
    else:
        with pytest.raises(RefusedError):
            VERB[verb](given.bot, given)
    assert record() == before


@pytest.mark.parametrize("verb", VERB)
def test_off_the_record_it_leaves_nothing_at_all(
    given: Given, memory: Memory, record: Callable[[], dict[str, bytes]], verb: str
) -> None:
    before = record()
    place = {"person": "kim", "project": "apollo", "session": "s1"}
    for agent in ("", "bot"):
        session = memory.session(**place, agent=agent, off_the_record=True)
        try:
            found = VERB[verb](session, given)
        except RefusedError as error:
            assert error.decision.rule in (
                "OFF_THE_RECORD",
                "ONLY_HERSELF",
                "ONLY_SHE_DECLARES",
                "ONLY_THE_PERSON",
            )
        else:
            assert VERBS[verb] is not Right.ACCUMULATE
            assert VERBS[verb] is not Right.PROMPT or not found.looked

    assert record() == before


def test_ingested_lines_pass_it_too(given: Given, memory: Memory) -> None:
    sorts: tuple[dict[str, object], ...] = (
        {"type": "message", "text": "hi"},
        {"type": "tool_result", "tool": "ci", "text": "green"},
        {"type": "document", "text": "a page", "origin": "https://wiki.example"},
        {"type": "claim", "text": "so on Friday", "sources": [given.source.id]},
    )
    given.kim.pause("project")
    lines = [json.dumps({**sort, "person": "kim", "project": "apollo"}) for sort in sorts]
    before = memory.store.state.seq

    report = memory.ingest(lines)

    assert (report.accepted, report.unchanged, memory.store.state.seq) == (0, 0, before)
    assert [error.error for error in report.errors] == ["refused"] * 4
    assert all("PAUSED" in error.message for error in report.errors)
    lines[0] = json.dumps({**sorts[0], "person": "kim", "project": "zephyr"})
    assert memory.ingest(lines[:1]).accepted == 1
