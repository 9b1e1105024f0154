"""The main proof: whatever sessions do, the store and the reference model give the same answers."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from muniment import Erasure, Memory, Session, Trace
from muniment.claims import (
    Category,
    Claim,
    Integrity,
    Kind,
    MunimentError,
    Purpose,
    RefusedError,
    Scope,
    Source,
    Standing,
)
from muniment.testing import (
    Asked,
    HandClock,
    Model,
    ModelClaim,
    ModelError,
    ModelSession,
    ModelSource,
    findings,
    flat_embedder,
)

# What is tested here is what is written, not whether it lasts; memory is faster to write to.
_IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

POLICY = """
format = 1
[tools.deploy]
fields = { environment = "identifier", exit_code = "integer", done = "boolean" }
"""
TOOLS = {"deploy": {"environment": str, "exit_code": int, "done": bool}}

# Few, so that they meet: what is said again, quoted, passed on and contradicted is the same words.
LINES = (
    "We deploy to staging.",
    "we deploy to STAGING",
    "저는 고기를 안 먹어요",
    "Reply in Korean",
    "Never ever Reply in Korean",
    "ok",
    "pay acct\u200b 7",
    "cafe\u0301",
    "café",
)
SESSIONS = (
    Scope(person="kim"),
    Scope(person="kim", project="apollo"),
    Scope(person="kim", project="apollo", agent="helper"),
    Scope(person="kim", project="apollo", agent="helper", session="s2"),
    Scope(person="park", project="apollo"),
    Scope(person="park", project="apollo", agent="helper"),
    Scope(person="kim", project="apollo", channel="ops"),
    Scope(person="park", project="apollo", channel="ops"),
    Scope(agent="robot"),
    Scope(project="apollo"),
    Scope(person="kim", project="apollo", session="s2"),
)
ZONES = ("UTC", "Asia/Seoul", "America/St_Johns")

Thing = ModelSource | ModelClaim
Rested = Thing | MultipleResults[Thing]
Real = TypeVar("Real", Source, Claim)

lines = st.sampled_from(LINES)
numbers = st.integers(0, len(SESSIONS) - 1)
# Mostly somebody who may, sometimes anybody: `Store.who` reads it.
somebody = st.integers(0, 4 * len(SESSIONS) - 1)
keys = st.sampled_from(("", "", "", "k1", "k2"))
spans_of_time = st.sampled_from((None, None, None, -2, 0, 1, 3, 48))


@dataclass
class Wished:
    """What the machine drew for a claim, besides its words and grounds."""

    kind: Kind
    category: Category
    complete: bool
    starts: int | None
    ends: int | None
    recheck: int | None


wishes = st.builds(
    Wished,
    kind=st.sampled_from(Kind),
    category=st.sampled_from(
        (Category.FACT, Category.CONSTRAINT, Category.PREFERENCE, Category.ACCOUNT)
    ),
    complete=st.booleans(),
    starts=spans_of_time,
    ends=spans_of_time,
    recheck=spans_of_time,
)


class Store(RuleBasedStateMachine):
    """Sessions of a few people and agents over one store, beside the model."""

    things: Bundle[Thing] = Bundle("things")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="muniment-machine-", dir=_IN_MEMORY))
        self.clock = HandClock()
        self.model = Model(TOOLS)
        self.names: dict[Thing, str] = {}
        self.asked: list[tuple[int, Asked, list[Thing]]] = []
        self.turn, self.ended = 0, False
        self.memory: Memory
        self.sessions: list[tuple[Session, ModelSession]]

    @initialize()
    def open(self) -> None:
        """A store with one registered tool."""
        Memory.open(self.folder / "s", clock=self.clock, embedder=flat_embedder()).close()
        (self.folder / "s" / "policy.toml").write_text(POLICY, encoding="utf-8")
        self._open()

    def _open(self) -> None:
        self.memory = Memory.open(self.folder / "s", clock=self.clock, embedder=flat_embedder())
        assert self.memory.store.notes == []
        self.model.restart()
        self.sessions = [
            (self.memory.session(**scope.named()), self.model.session(scope)) for scope in SESSIONS
        ]

    def teardown(self) -> None:
        """Everything that must hold of a store holds at the end."""
        if hasattr(self, "memory"):
            self.ended = True
            self.every_session_sees_what_the_model_says()
            assert findings(self.memory) == ()
            self.memory.close()
        shutil.rmtree(self.folder)

    # --- both do the same --------------------------------------------------------------------------------------

    def both(
        self, real: Callable[[], Real], model: Callable[[], ModelSource] | Callable[[], ModelClaim]
    ) -> tuple[Real, Thing] | None:
        """Let the store and the model do a thing; both give a value, or the same refusal by the same rule."""
        made: Real | None = None
        answered = ("value", "")
        try:
            made = real()
        except RefusedError as error:
            answered = ("refused", error.decision.rule)
        except MunimentError as error:
            answered = (error.kind, "")
        expected: Thing | None = None
        wanted = ("value", "")
        try:
            expected = model()
        except ModelError as error:
            wanted = (error.kind, error.rule)
        assert answered == wanted, f"the store answered {answered}, the model {wanted}"
        if made is None or expected is None:
            return None
        if expected in self.names:
            assert made.id == self.names[expected], "the same thing must be given again"
        else:
            assert made.id not in self.names.values(), "a new thing must have a new name"
            self.names[expected] = made.id
        return made, expected

    def who(self, drawn: int, things: list[Thing]) -> int:
        """Return the session a draw means: three times in four one that may read all of these."""
        anybody = drawn % len(SESSIONS)
        readers = [
            number
            for number, (_, model) in enumerate(self.sessions)
            if all(model.reads(thing) for thing in things)
        ]
        choosing = readers and drawn >= len(SESSIONS)
        return readers[drawn % len(readers)] if choosing else anybody

    def at(self, hours: int | None, zone: str = "UTC") -> datetime | None:
        """Return a moment some hours from now, stated in a zone."""
        if hours is None:
            return None
        return (self.clock.now + timedelta(hours=hours)).astimezone(ZoneInfo(zone))

    # --- sources -----------------------------------------------------------------------------------------------

    @rule(
        target=things,
        who=numbers,
        own=lines,
        passed=st.none() | st.tuples(st.sampled_from(("quoted", "pasted", "attached")), lines),
        quoting=st.booleans(),
        origin=st.sampled_from(("", "https://wiki.example")),
        key=keys,
    )
    def message(
        self,
        who: int,
        own: str,
        passed: tuple[str, str] | None,
        quoting: bool,
        origin: str,
        key: str,
    ) -> Rested:
        """Somebody says something, perhaps with words of others in it."""
        real, model = self.sessions[who]
        own = f"> {own}\n{own}" if quoting else own
        parts = [("own", own, ""), *([(*passed, origin)] if passed else [])]
        made = self.both(
            lambda: real.message(parts=parts, key=key),
            lambda: self.model.message(model, parts, key),
        )
        return self._source(made)

    @rule(
        target=things,
        who=numbers,
        fields=st.fixed_dictionaries(
            {},
            optional={
                "environment": st.sampled_from(("staging", "not one word")),
                "exit_code": st.sampled_from((0, 1, True)),
                "done": st.booleans(),
                "log": lines,
            },
        ),
        tool=st.sampled_from(("deploy", "browser")),
        text=st.just("") | lines,
        key=keys,
    )
    def tool_result(
        self, who: int, fields: dict[str, str | int | bool], tool: str, text: str, key: str
    ) -> Rested:
        """A tool returned something."""
        if not fields and not text:
            return nothing()
        real, model = self.sessions[who]
        # The model knows types only, so what an identifier is it is told here.
        typed = {name: value for name, value in fields.items() if value != "not one word"} == fields
        seen = fields if typed else {**fields, "environment": Worded("not one word")}
        made = self.both(
            lambda: real.tool_result(tool, fields, text, key=key),
            lambda: self.model.tool_result(model, tool, seen, text, key),
        )
        return self._source(made)

    @rule(target=things, who=numbers, text=lines, key=keys)
    def document(self, who: int, text: str, key: str) -> Rested:
        """A page comes in."""
        real, model = self.sessions[who]
        made = self.both(
            lambda: real.document(text, origin="https://wiki.example", key=key),
            lambda: self.model.document(model, text, "https://wiki.example", key),
        )
        return self._source(made)

    def _source(self, made: tuple[Source, Thing] | None) -> Rested:
        if made is None:
            return nothing()
        real, model = made
        assert isinstance(model, ModelSource)
        assert real.text == model.text
        assert [part.integrity for part in real.parts] == [part.integrity for part in model.parts]
        assert real.integrity == model.integrity
        return model

    # --- claims ------------------------------------------------------------------------------------------------

    @rule(
        target=things,
        who=somebody,
        text=lines,
        wish=wishes,
        grounds=st.lists(things, max_size=3),
        field=st.sampled_from(("", "exit_code", "log")),
        zone=st.sampled_from(ZONES),
        key=keys,
    )
    def remember(
        self,
        who: int,
        text: str,
        wish: Wished,
        grounds: list[Thing],
        field: str,
        zone: str,
        key: str,
    ) -> Rested:
        """Somebody asks for something to be remembered."""
        who = self.who(who, grounds)
        ends = None if wish.ends is None else max(wish.ends, (wish.starts or 0) + 1)
        asked = Asked(
            text=text,
            kind=wish.kind,
            category=wish.category,
            field=field,
            valid_from=self.at(wish.starts, zone),
            expires_at=self.at(ends, zone),
            recheck_at=self.at(wish.recheck, zone),
            parents_complete=wish.complete,
        )
        self.asked.append((who, asked, grounds))
        return self._asked(who, asked, grounds, key)

    def _asked(self, who: int, asked: Asked, grounds: list[Thing], key: str = "") -> Rested:
        real, model = self.sessions[who]
        made = self.both(
            lambda: real.remember(
                asked.text,
                kind=asked.kind,
                category=asked.category,
                field=asked.field,
                sources=[self.names[ground] for ground in grounds],
                valid_from=asked.valid_from,
                expires_at=asked.expires_at,
                recheck_at=asked.recheck_at,
                parents_complete=asked.parents_complete,
                key=key,
            ),
            lambda: self.model.remember(model, asked, grounds, key),
        )
        return self._kept(made)

    @precondition(lambda self: self.asked)
    @rule(target=things, which=st.integers(0, 1000))
    def remember_again(self, which: int) -> Rested:
        """Somebody asks for the very same once more."""
        return self._asked(*self.asked[which % len(self.asked)])

    @rule(
        target=things,
        who=st.sampled_from((0, 1, 2, 6)),
        text=lines,
        category=st.sampled_from((Category.FACT, Category.CONSTRAINT, Category.DECISION)),
    )
    def state(self, who: int, text: str, category: Category) -> Rested:
        """Kim says something and it is remembered as stated, perhaps by her agent."""
        person = 1 if who == 2 else who
        real, model = self.sessions[person]
        said = self.both(
            lambda: real.message(text), lambda: self.model.message(model, [("own", text, "")])
        )
        if said is None:  # the same words were erased
            return nothing()
        asked = Asked(text=text, kind=Kind.STATED, category=category)
        self.asked.append((who, asked, [said[1]]))
        return self._asked(who, asked, [said[1]])

    def _kept(self, made: tuple[Claim, Thing] | None) -> Rested:
        return nothing() if made is None else made[1]

    @rule(
        claim=things,
        who=somebody,
        grounds=st.lists(things, max_size=1),
        stale=st.sampled_from((0, 0, 0, -1, 1)),
        ends=spans_of_time,
        recheck=spans_of_time,
    )
    def confirm(
        self,
        claim: Thing,
        who: int,
        grounds: list[Thing],
        stale: int,
        ends: int | None,
        recheck: int | None,
    ) -> None:
        """Somebody confirms a claim, having seen its present version or another."""
        if not isinstance(claim, ModelClaim):
            return
        real, model = self.sessions[self.who(who, [claim])]
        expires, due, seen = self.at(ends), self.at(recheck), claim.version + stale
        self.both(
            lambda: real.confirm(
                self.names[claim],
                sources=[self.names[ground] for ground in grounds],
                expires_at=expires,
                recheck_at=due,
                version=seen,
            ),
            lambda: self.model.confirm(
                model, claim, seen, grounds, expires_at=expires, recheck_at=due
            ),
        )

    @rule(
        claim=things,
        who=somebody,
        grounds=st.lists(things, max_size=1),
        stale=st.sampled_from((0, 0, 0, -1)),
    )
    def retract(self, claim: Thing, who: int, grounds: list[Thing], stale: int) -> None:
        """Somebody withdraws a claim."""
        if not isinstance(claim, ModelClaim):
            return
        real, model = self.sessions[self.who(who, [claim])]
        seen = claim.version + stale
        self.both(
            lambda: real.retract(
                self.names[claim],
                sources=[self.names[ground] for ground in grounds],
                version=seen,
                reason="withdrawn",
            ),
            lambda: self.model.retract(model, claim, seen, grounds),
        )

    @rule(claim=things, who=somebody, grounds=st.lists(things, max_size=1))
    def reinstate(self, claim: Thing, who: int, grounds: list[Thing]) -> None:
        """Somebody lets a claim stand again."""
        if not isinstance(claim, ModelClaim):
            return
        real, model = self.sessions[self.who(who, [claim])]
        seen = claim.version
        self.both(
            lambda: real.reinstate(
                self.names[claim],
                sources=[self.names[ground] for ground in grounds],
                version=seen,
            ),
            lambda: self.model.reinstate(model, claim, seen, grounds),
        )

    @rule(
        target=things,
        claim=things,
        who=somebody,
        text=lines,
        grounds=st.lists(things, min_size=1, max_size=2),
    )
    def challenge(self, claim: Thing, who: int, text: str, grounds: list[Thing]) -> Rested:
        """Somebody contradicts a claim."""
        if not isinstance(claim, ModelClaim):
            return nothing()
        real, model = self.sessions[self.who(who, [claim])]
        made = self.both(
            lambda: real.challenge(
                self.names[claim], text, sources=[self.names[ground] for ground in grounds]
            ),
            lambda: self.model.challenge(model, claim, Asked(text=text), grounds),
        )
        return self._kept(made)

    @rule(source=things, who=somebody, revoke=st.booleans())
    def change_access(self, source: Thing, who: int, revoke: bool) -> None:
        """Somebody revokes a source, or gives it back."""
        if not isinstance(source, ModelSource):
            return
        real, model = self.sessions[self.who(who, [source])]
        before = self.memory.store.state.seq
        verb = real.revoke if revoke else real.give_back
        again = revoke == (source in self.model.revoked)
        try:
            self.model.change_access(model, source, revoke=revoke)
        except ModelError as error:
            with pytest.raises(MunimentError) as raised:
                verb(self.names[source])
            assert raised.value.kind == error.kind
            assert getattr(getattr(raised.value, "decision", None), "rule", "") == error.rule
            return
        assert verb(self.names[source]).source == self.names[source]
        assert (self.memory.store.state.seq == before) == again

    @rule(
        target=things,
        claim=things,
        who=somebody,
        text=lines,
        grounds=st.lists(things, max_size=2),
        correct=st.booleans(),
        stale=st.sampled_from((0, 0, 0, -1)),
    )
    def replace(
        self,
        claim: Thing,
        who: int,
        text: str,
        grounds: list[Thing],
        correct: bool,
        stale: int,
    ) -> Rested:
        """Somebody says that a claim was never true, or is no longer."""
        if not isinstance(claim, ModelClaim):
            return nothing()
        number, seen = self.who(who, [claim]), claim.version + stale
        return self.replace_by(number, claim, seen, text, grounds, correct)

    def replace_by(
        self,
        who: int,
        claim: ModelClaim,
        seen: int,
        text: str,
        grounds: list[Thing],
        correct: bool,
    ) -> Rested:
        """Let both put a new claim in the place of one."""
        real, model = self.sessions[who]
        verb = real.correct if correct else real.supersede
        made = self.both(
            lambda: verb(
                self.names[claim],
                text,
                sources=[self.names[ground] for ground in grounds],
                version=seen,
            ),
            lambda: self.model.replace(
                model, claim, seen, Asked(text), grounds, correct=correct, now=self.clock.now
            ),
        )
        return self._kept(made)

    @rule(
        target=things,
        claim=things,
        text=lines,
        correct=st.booleans(),
        who=somebody,
    )
    def set_right(self, claim: Thing, text: str, correct: bool, who: int) -> Rested:
        """A person says what is so instead, in words of her own."""
        if not isinstance(claim, ModelClaim):
            return nothing()
        number = self.who(who, [claim])
        real, model = self.sessions[number]
        if not model.scope.person or model.scope.agent:
            return nothing()
        said = self.both(
            lambda: real.message(text), lambda: self.model.message(model, [("own", text, "")])
        )
        if said is None:  # the same words were erased
            return nothing()
        return self.replace_by(number, claim, claim.version, text, [said[1]], correct)

    @rule(
        target=things, claim=things, text=lines, who=somebody, beside=st.lists(things, max_size=1)
    )
    def conclude(self, claim: Thing, text: str, who: int, beside: list[Thing]) -> Rested:
        """Somebody concludes something from a claim, and perhaps from another thing with it."""
        asked = Asked(text=text, parents_complete=True)
        number = self.who(who, [claim, *beside])
        self.asked.append((number, asked, [claim, *beside]))
        return self._asked(number, asked, [claim, *beside])

    @precondition(lambda self: self.asked)
    @rule(thing=things, who=somebody, foreseeing=st.booleans())
    def erase(self, thing: Thing, who: int, foreseeing: bool) -> None:
        """Somebody has a thing destroyed, perhaps after looking what would go with it."""
        number = self.who(who, [thing])
        real, model = self.sessions[number]
        plan: Erasure | None = None
        answered: object = "value"
        done: Erasure | None = None
        try:
            if foreseeing:
                before = self.memory.store.state.seq
                plan = real.erase(self.names[thing], dry_run=True)
                assert self.memory.store.state.seq == before
            done = real.erase(self.names[thing])
        except RefusedError as error:
            answered = ("refused", error.decision.rule)
        except MunimentError as error:
            answered = (error.kind, "")
        try:
            sources, gone, stay = self.model.erase(model, thing)
        except ModelError as error:
            assert answered == (error.kind, error.rule)
            return
        assert done is not None, f"the store answered {answered}"
        assert set(done.sources) == {self.names[source] for source in sources}
        assert set(done.claims) == {self.names[claim] for claim in gone}
        assert {one.claim for one in done.survivors} == {self.names[claim] for claim in stay}
        if plan:
            assert (plan.claims, plan.survivors, plan.lost, plan.rescued, plan.keys) == (
                done.claims, done.survivors, done.lost, done.rescued, done.keys,
            )  # fmt: skip

    # --- time and repair ---------------------------------------------------------------------------------------

    @rule(hours=st.sampled_from((-30, -1, 1, 2, 50)))
    def wait(self, hours: int) -> None:
        """Time passes, or somebody sets the clock back."""
        self.clock.move(timedelta(hours=hours))

    @rule(rebuilding=st.sampled_from((False, False, False, True)))
    def reopen(self, rebuilding: bool) -> None:
        """The store is closed and opened; sessions begin anew. Or its graph is made anew, and is the same."""
        if rebuilding:
            assert self.memory.rebuild()
        else:
            self.memory.close()
            self._open()

    # --- reading -----------------------------------------------------------------------------------------------

    @rule(who=numbers, purpose=st.sampled_from(Purpose))
    def recall(self, who: int, purpose: Purpose) -> None:
        """A recall gives every claim that is readable and fit for the purpose, and counts all others in scope."""
        real, model = self.sessions[who]
        answer = real.recall("anything", purpose=purpose, limit=1000)
        kept_back = self.model.withheld(model, purpose, self.clock.now)
        wanted = [claim for claim in self.model.readable(model) if claim not in kept_back]

        assert {item.claim.id for item in answer.evidence} == {self.names[c] for c in wanted}
        counted = [rule for item in answer.withheld for rule in [item.rule] * item.count]
        assert sorted(counted) == sorted(kept_back.values())
        uses = {item.claim.id: item.use for item in answer.evidence}
        assert uses == {self.names[c]: self.model.use(c, self.clock.now) for c in wanted}
        assert bool(answer.receipt) == self.model.knows(model)
        if answer.receipt:
            replayed = real.replay(answer).lines
            assert [line.claim for line in replayed] == [item.claim for item in answer.evidence]
        model.lower(min([Integrity.USER, *(claim.integrity for claim in wanted)]))

    @invariant()
    def every_session_sees_what_the_model_says(self) -> None:
        """What a session may list is what the model lets it read, and each claim is as the model has it."""
        if not hasattr(self, "memory"):
            return
        standings = {
            claim: self.model.standing(claim, self.clock.now) for claim in self.model.claims
        }
        for real, model in self._looking():
            assert real.mark == model.mark
            # Looking lowers an agent's mark, and that of every session of its name, so one without a name looks.
            looking = self.memory.session(**{**model.scope.named(), "session": ""})
            seen = {claim.id: claim for claim in looking.claims()}
            wanted = {self.names[claim]: claim for claim in self.model.readable(model)}
            assert seen.keys() == wanted.keys()
            for name, claim in wanted.items():
                self._same(seen[name], claim, standings[claim])

    def _looking(self) -> Iterator[tuple[Session, ModelSession]]:
        """Yield two of the sessions, others after each step; all of them at the end."""
        count = len(self.sessions)
        looking = range(count) if self.ended else (self.turn % count, (self.turn + 3) % count)
        self.turn += 1
        yield from (self.sessions[number] for number in looking)

    def _same(self, real: Claim, model: ModelClaim, standing: Standing) -> None:
        def name(claim: ModelClaim | None) -> tuple[str, ...]:
            return (self.names[claim],) if claim else ()

        grounds = {ground for one in model.justifications for ground in one}
        assert _shown(real) == {
            "kind": model.kind,
            "asked": model.asked,
            "integrity": model.integrity,
            "authority": self.model.authority(model),
            "rule": model.rule,
            "quote": self.model.words(model)[0],
            "gist": self.model.words(model)[1],
            "version": model.version,
            "seen": model.seen,
            "standing": standing,
            "scope": model.scope,
            "times": (model.valid_from, model.valid_to, model.expires_at, model.recheck_at),
            "confirmed": model.confirmed,
            "grounds": {self.names[ground] for ground in grounds},
            "origins": model.origins,
            "related": (name(model.corrects), name(model.supersedes), name(model.challenges)),
            "replaced": self.names[model.replaced_by] if model.replaced_by else "",
        }

    @rule(claim=things)
    def look_closely(self, claim: Thing) -> None:
        """Its history, its lineage and its export say the same as the claim."""
        for real, model in self.sessions:
            if claim.erased or not model.reads(claim):
                continue
            name = self.names[claim]
            if claim not in self.model.revoked:
                model.has_read(claim)
            if claim in self.model.revoked:
                with pytest.raises(RefusedError):
                    real.source(name)
                return
            if isinstance(claim, ModelSource):
                assert real.source(name).text == claim.text
            else:
                assert real.claim(name).id == name
            assert real.mark == model.mark
            real = self.memory.session(**{**model.scope.named(), "session": ""})
            exported = [json.loads(line) for line in real.export()]
            assert name in {entry.get("id") for entry in exported}
            if isinstance(claim, ModelSource):
                return
            assert [change.verb for change in real.history(name)] == claim.changes
            below = _below(real.trace(name))
            assert below == {self.names[ground] for ground in _rests_on(claim, model)}
            return


def nothing() -> MultipleResults[Thing]:
    """Return what a rule gives that made nothing new."""
    return multiple()


class Worded(str):
    """A value with spaces, which is no identifier."""


def _below(found: Trace) -> set[str]:
    """Return everything a claim rests on in a trace, without what only says the same as was given out before."""
    edges = [edge for edge in found.edges if edge.relation in ("quotes", "derived_from")]
    reached, waiting = set[str](), [found.claim]
    while waiting:
        here = waiting.pop()
        fresh = {edge.to_id for edge in edges if edge.from_id == here} - reached
        reached |= fresh
        waiting += fresh
    return reached - {found.claim}


def _rests_on(claim: ModelClaim, reader: ModelSession) -> set[Thing]:
    """Return every ground a reader can reach from a claim, going only through what the reader may read."""
    reached: set[Thing] = set()
    waiting: list[Thing] = [claim]
    while waiting:
        thing = waiting.pop()
        for justification in thing.justifications if isinstance(thing, ModelClaim) else ():
            fresh = [one for one in justification if one not in reached and reader.reads(one)]
            reached.update(fresh)
            waiting.extend(fresh)
    return reached - {claim}


def _shown(claim: Claim) -> dict[str, object]:
    return {
        "kind": claim.kind,
        "asked": claim.asked_kind,
        "integrity": claim.integrity,
        "authority": claim.authority,
        "rule": claim.decision.rule,
        "quote": claim.quote,
        "gist": claim.gist,
        "version": claim.version,
        "seen": claim.seen_count,
        "standing": claim.standing,
        "scope": claim.scope,
        "times": (claim.valid_from, claim.valid_to, claim.expires_at, claim.recheck_at),
        "confirmed": claim.confirmed_at is not None,
        "grounds": {citation.id for citation in claim.citations},
        "origins": set(claim.origins),
        "related": (claim.corrects, claim.supersedes, claim.challenges),
        "replaced": claim.replaced_by,
    }


@pytest.mark.slow
def test_the_store_does_what_the_model_does(request: pytest.FixtureRequest) -> None:
    exhaustive = bool(request.config.getoption("--exhaustive"))
    run_state_machine_as_test(
        Store,
        settings=settings(
            max_examples=1500 if exhaustive else 80,
            stateful_step_count=60 if exhaustive else 36,
            deadline=None,
            phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
            suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
        ),
    )


def test_the_levels_of_the_machine_are_those_of_the_vocabulary() -> None:
    assert [level.name for level in sorted(Integrity)] == [
        "EXTERNAL",
        "AGENT",
        "TOOL",
        "USER",
        "OPERATOR",
    ]
