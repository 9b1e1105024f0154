"""Erasure: what a source or a claim has tainted is destroyed, key by key, and tombstones keep it out.

What went because its time was over may be said and learned again: of that only the marks of conversations stay, and
what repeats it goes at its own time.

What must go is found along the grounds each rendering was written from, not along what is still believed: a claim
survives only by a rendering whose writer had nothing of it.
"""

from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from muniment.claims import (
    UNREADABLE,
    Assertion,
    Basis,
    BlockRecord,
    ChangeRecord,
    Decision,
    ErasedRendering,
    EraseRecord,
    ErasureSort,
    Header,
    Medium,
    ReceiptRecord,
    RefusedError,
    Relation,
    SlotRun,
    SourceRecord,
    SpanRef,
    Tombstone,
    TombstoneSort,
    Value,
    from_micros,
)
from muniment.policy import judge_erasure

from .again import RecalledPart, Stretches, recalled_parts, said_again, uses
from .attaching import answer_slots
from .blocks import KeptLine, block_slots, current_block, lines_of, slots_of
from .copies import BackupKept
from .holds import held_among, held_scopes, records_about
from .staleness import Survivor
from .state import Effect, State, take_away
from .store import Sealable, Store, slot_runs
from .tombstones import claim_digests, claim_texts, compared, mark_digests, source_digests
from .writing import Writer, set_stamp, stamp

_SHORTEST = 4  # a question is searched for erased words of at least so many characters
_CLAIMS = (ErasureSort.CLAIM, ErasureSort.REQUEST, ErasureSort.RETENTION)
_NAMED_WITH = ("origin", "tool", "session")


class Erasure(Value):
    """What an erasure destroyed, or with `dry_run` would destroy.

    `id` is the tombstone's. `lost` and `rescued` are claims that stay and lost what held them up, or kept it by
    another ground. `remaining` are sources that still hold an erased claim's words, or say again what was erased;
    `receipts` the number of recalls whose question and scores went with the key they share, `answers` that of what was
    attached to recalls; `lines` those of
    always-on blocks, `recalled` that of parts of messages that a recall had put there, `names` those that nothing uses
    any more, which only the host is told. What is `held`, by a legal hold, keeps all from going. `mirrors` are places
    where a copy of the keys still holds those that were destroyed, until the keys are mirrored there again; `backups`
    hold the sealed bytes, which no key opens any more, until their time is over.
    """

    id: str = ""
    sort: ErasureSort
    basis: Basis
    dry_run: bool = False
    sources: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    renderings: int = 0
    survivors: tuple[Survivor, ...] = ()
    lost: tuple[str, ...] = ()
    rescued: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
    names: int = 0
    receipts: int = 0
    answers: int = 0
    lines: int = 0
    recalled: int = 0
    keys: int = 0
    held: tuple[str, ...] = ()
    erased_at: datetime | None = None
    mirrors: tuple[str, ...] = ()
    backups: tuple[BackupKept, ...] = ()


class Doomed(NamedTuple):
    """What is to be destroyed, by number: whole sources and claims, and (claim, rendering) of claims that survive.

    Of sources that stay, `parts` are what a recall had put there.
    """

    sources: tuple[int, ...] = ()
    claims: tuple[int, ...] = ()
    renderings: tuple[tuple[int, int], ...] = ()
    parts: tuple[RecalledPart, ...] = ()


class _Reach(NamedTuple):
    """What goes with the doomed: keys, names, receipts, lines of blocks; what stays out; which sources still say it."""

    slots: frozenset[int]
    names: tuple[int, ...]
    receipts: int
    answers: int
    tombstones: tuple[Tombstone, ...]
    remaining: tuple[int, ...]
    lines: int


def taint(store: Store, sources: Iterable[int], claims: Iterable[int]) -> Doomed:
    """Return everything written by an activity that used one of these, directly or through claims.

    What a person was shown and endorsed repeats the claim, and goes with what she made hers. What a recall gave into
    a message is destroyed there, with whatever was drawn from that.
    """
    state = store.state
    gone = dict.fromkeys(seq for seq in sources if seq in state.sources)
    tainted: dict[int, int] = {
        rendering: seq for seq in claims for rendering in state.claims[seq].assertions
    }
    parts: dict[RecalledPart, None] = {}
    waiting = [*((seq, 0) for seq in gone), *((seq, at) for at, seq in tainted.items())]

    def taken(source: int) -> None:
        if source not in gone:
            gone[source] = None
            waiting.append((source, 0))

    def drawn(node: int, since: int, where: Stretches = ()) -> None:
        for seq in dict.fromkeys(state.dependants.get(node, ())):
            claim = state.claims[seq]
            for rendering, grounds in zip(claim.assertions, claim.justifications, strict=True):
                # Words that came later were not there to be used.
                if rendering > since and node in grounds and rendering not in tainted:
                    if not where or uses(where, _spans(store, rendering), state.names[node]):
                        tainted[rendering] = seq
                        waiting.append((seq, rendering))

    while waiting:
        node, since = waiting.pop()
        for seen in _shown_for(state, node, since):
            taken(seen)
        for part, where in recalled_parts(store, node):
            if part.source > since and part.source not in gone:
                parts[part] = None
                if _is_all(store, part.source, parts):
                    taken(part.source)
                else:
                    drawn(part.source, 0, where)
        drawn(node, since)
    touched = sorted(set(tainted.values()))
    whole = {seq for seq in touched if all(one in tainted for one in state.claims[seq].assertions)}
    return Doomed(
        sources=tuple(sorted(gone)),
        claims=tuple(seq for seq in touched if seq in whole),
        renderings=tuple(sorted((seq, at) for at, seq in tainted.items() if seq not in whole)),
        parts=tuple(sorted(part for part in parts if part.source not in gone)),
    )


def _spans(store: Store, rendering: int) -> tuple[SpanRef, ...]:
    header = store.header(rendering)
    assert isinstance(header, Assertion)
    return header.spans


def _is_all(store: Store, source: int, parts: Collection[RecalledPart]) -> bool:
    """Return whether nothing of a source would be left without these parts."""
    going = {part.slot for part in parts if part.source == source}
    return all(
        seal.slot in going or seal.slot in store.state.destroyed
        for seal in store.header(source).seals
    )


def _shown_for(state: State, node: int, rendering: int) -> Iterator[int]:
    """Yield the sources that hold what a person was shown when she endorsed, of one rendering of a claim."""
    claim = state.claims.get(node)
    if claim is None or not any(how is Relation.ENDORSES for how, _ in claim.relations):
        return
    for ground in claim.justifications[claim.assertions.index(rendering)]:
        source = state.sources.get(ground)
        if source is not None and source.medium is Medium.ENDORSEMENT:
            yield ground


def erase(
    store: Store,
    decision: Decision,
    writer: Writer,
    *,
    sort: ErasureSort,
    targets: Sequence[int],
    sources: Iterable[int],
    claims: Iterable[int],
    scope: int,
    basis: Basis,
    reason: str,
    person: int = 0,
    scopes: Iterable[int] = (),
    lines: Sequence[KeptLine] = (),
    reasons: Iterable[int] = (),
    days: Sequence[int] = (),
    dry_run: bool = False,
    ahead: ExitStack | None = None,
) -> Erasure:
    """Destroy what these sources and claims have tainted, or with `dry_run` only say what that is.

    With `person`, her name, what she asked and why she erased before go too, and these `lines` of blocks and `reasons`,
    which are records that hold nothing else; `days` are the key slots of receipts that go by themselves. Of whole
    `scopes`, and all of hers, what was asked there, blocks and the scope's own key go. RefusedError where it would
    reach something on legal hold: then nothing is changed. Until `ahead` is closed, what a dry run would destroy counts
    as destroyed for the next one.
    """
    with store.lock:
        store.post()  # receipts and parts are looked up in the graph
        doomed = taint(store, sources, claims)
        hers = (seq for seq, key in store.state.scopes.items() if person and key[1] == person)
        whole = frozenset((*scopes, *hers))
        reached = _reached(store, doomed, person, whole, lines, reasons, days, sort)
        held = _held(store, doomed, person, reached.slots)
        if held and not dry_run:
            raise RefusedError(judge_erasure(alone=True, own_scope=True, held=held))
        survivors = _survivors(store.state, doomed)
        renderings = len(doomed.renderings) + sum(
            len(store.state.claims[seq].assertions) for seq in doomed.claims
        )
        header: Header | None = None
        if dry_run:
            with ExitStack() as own:
                foreseen = _foreseen(store.state, doomed, reached.slots)
                effect = (ahead or own).enter_context(foreseen)
        else:
            with store.group():
                effect = take_away(store.state, doomed.sources, doomed.claims, doomed.renderings)
                header = _write(
                    store, decision, writer, doomed, reached, effect,
                    sort=sort, targets=targets, scope=scope, basis=basis, reason=reason,
                )  # fmt: skip
    return _told(store, doomed, reached, effect, header, sort=sort, basis=basis).model_copy(
        update={"renderings": renderings, "survivors": survivors, "held": held}
    )


def clear_block(
    store: Store,
    decision: Decision,
    writer: Writer,
    *,
    scope: int,
    held: int = 0,
    basis: Basis = Basis.REQUEST,
    reason: str = "",
    dry_run: bool = False,
) -> Erasure:
    """Destroy the block in a scope with every earlier write of it, or with `held` only what that write would add."""
    with store.lock:
        if held:
            name = store.state.names[held]
            slots = frozenset(slots_of(store, held, lambda line: line.ref.record == name))
            lines = len(slots)
        else:
            slots = frozenset(block_slots(store, scope))
            block = current_block(store, scope)
            lines = sum(1 for line in lines_of(store, block) if line.text) if block else 0
        doomed, effect = Doomed(), Effect()
        kept = _held(store, doomed, 0, slots)
        if kept and not dry_run:
            raise RefusedError(judge_erasure(alone=True, own_scope=True, held=kept))
        reached = _Reach(slots, (), 0, 0, (), (), lines)
        header: Header | None = None
        if not dry_run:
            targets = (held,) if held else tuple(one.seq for one in store.state.blocks[scope])
            with store.group():
                header = _write(
                    store, decision, writer, doomed, reached, effect,
                    sort=ErasureSort.BLOCK, targets=targets, scope=scope, basis=basis, reason=reason,
                )  # fmt: skip
    told = _told(store, doomed, reached, effect, header, sort=ErasureSort.BLOCK, basis=basis)
    return told.model_copy(update={"held": kept})


def _told(
    store: Store,
    doomed: Doomed,
    reached: _Reach,
    effect: Effect,
    header: Header | None,
    *,
    sort: ErasureSort,
    basis: Basis,
) -> Erasure:
    names = store.state.names
    return Erasure(
        id=header.id if header else "",
        sort=sort,
        basis=basis,
        dry_run=header is None,
        sources=tuple(names[seq] for seq in doomed.sources),
        claims=tuple(names[seq] for seq in doomed.claims),
        lost=tuple(names[seq] for seq in sorted(effect.lost)),
        rescued=tuple(names[seq] for seq in sorted(effect.rescued)),
        remaining=tuple(names[seq] for seq in reached.remaining),
        names=len(reached.names),
        receipts=reached.receipts,
        answers=reached.answers,
        lines=reached.lines,
        recalled=len(doomed.parts),
        keys=len(reached.slots),
        erased_at=from_micros(header.at) if header else None,
    )


def _held(store: Store, doomed: Doomed, person: int, slots: frozenset[int]) -> tuple[str, ...]:
    """Return what of the doomed is on legal hold, and the held persons whose questions or block would go with it."""
    state = store.state
    nodes = (
        *doomed.sources,
        *(part.source for part in doomed.parts),
        *doomed.claims,
        *(claim for claim, _ in doomed.renderings),
        person,
    )
    found = list(held_among(state, nodes))
    scopes = held_scopes(state)
    for seq, slot in store.graph.receipts_of((), scopes) if scopes else ():
        header = store.header(seq)
        if slot in slots and isinstance(header, ReceiptRecord):
            found.append(scopes[state.ids[header.scope]])
    for _, receipt, slot in store.graph.attachments(asked_in=scopes) if scopes else ():
        header = store.header(receipt)
        if slot in slots and isinstance(header, ReceiptRecord):
            found.append(scopes[state.ids[header.scope]])
    for scope, owner in scopes.items():
        if not slots.isdisjoint(block_slots(store, scope)):
            found.append(owner)
    return tuple(state.names[seq] for seq in dict.fromkeys(found))


def _write(
    store: Store,
    decision: Decision,
    writer: Writer,
    doomed: Doomed,
    reached: _Reach,
    effect: Effect,
    *,
    sort: ErasureSort,
    targets: Sequence[int],
    scope: int,
    basis: Basis,
    reason: str,
) -> Header:
    names = store.state.names
    return store.add(
        EraseRecord,
        [Sealable({"note": reason})] if reason else [],
        sort=sort,
        targets=tuple(names[seq] for seq in targets),
        basis=basis,
        scope=names[scope],
        sources=tuple(names[seq] for seq in doomed.sources),
        claims=tuple(names[seq] for seq in doomed.claims),
        renderings=tuple(
            ErasedRendering(claim=names[claim], rendering=names[at])
            for claim, at in doomed.renderings
        ),
        names=tuple(names[seq] for seq in reached.names),
        receipts=reached.receipts,
        lines=reached.lines,
        slots=tuple(SlotRun(first=first, count=count) for first, count in slot_runs(reached.slots)),
        tombstones=reached.tombstones,
        lost=set_stamp(store, effect.lost),
        rescued=set_stamp(store, effect.rescued),
        decision=stamp(store, decision),
        by=names[writer.by],
        behalf=names[writer.behalf],
    )


def _survivors(state: State, doomed: Doomed) -> tuple[Survivor, ...]:
    gone = {at for _, at in doomed.renderings}
    found: list[Survivor] = []
    for seq in dict.fromkeys(claim for claim, _ in doomed.renderings):
        claim = state.claims[seq]
        left = [
            ground
            for at, grounds in zip(claim.assertions, claim.justifications, strict=True)
            if at not in gone
            for ground in grounds
        ]
        by = tuple(state.names[ground] for ground in dict.fromkeys(left))
        found.append(Survivor(claim=claim.id, by=by))
    return tuple(found)


@contextmanager
def _foreseen(state: State, doomed: Doomed, slots: frozenset[int]) -> Generator[Effect]:
    """Take the doomed out of the state, give what that does to the labels, and put everything back."""
    reached, waiting = (
        set[int](),
        [*doomed.sources, *doomed.claims, *(c for c, _ in doomed.renderings)],
    )
    while waiting:
        seq = waiting.pop()
        if seq in state.claims and seq not in reached:
            reached.add(seq)
        elif seq in reached:
            continue
        waiting.extend(state.dependants.get(seq, ()))
    before = {seq: replace(claim) for seq in reached if (claim := state.claims[seq])}
    sources, touched = dict(state.sources), set(state.touched)
    state.destroyed |= slots
    try:
        yield take_away(state, doomed.sources, doomed.claims, doomed.renderings)
    finally:
        for seq, was in before.items():
            claim = state.claims[seq]
            claim.assertions, claim.justifications = was.assertions, was.justifications
            claim.erased, claim.lifecycle = was.erased, was.lifecycle
            claim.supported, claim.fresh = was.supported, was.fresh
        for seq in doomed.sources:
            state.erased_sources.pop(seq, None)
        state.sources, state.touched = sources, touched
        state.destroyed -= slots


def _reached(
    store: Store,
    doomed: Doomed,
    person: int,
    whole: frozenset[int],
    kept: Sequence[KeptLine],
    reasons: Iterable[int],
    by_day: Sequence[int],
    sort: ErasureSort,
) -> _Reach:
    keyed = store.state.sensitive.keyed
    slots: set[int] = {slot for scope in whole for slot in keyed.get(scope, ())}
    texts: set[str] = set()
    stones: dict[tuple[TombstoneSort, str, int], None] = {}
    cited: dict[int, None] = {}
    # What only repeats aged words was said at a time of its own, and a recall has its own time too.
    aged = sort is ErasureSort.RETENTION
    for seq in doomed.sources:
        slots |= _slots_of_source(store, seq)
        if not aged:
            _source(store, seq, texts, stones)
    for seq in doomed.claims:
        slots |= _slots_of_claim(store, seq)
        cited |= dict.fromkeys(
            one for grounds in store.state.claims[seq].justifications for one in grounds
        )
        if not aged:
            _claim(store, seq, texts, stones)
    for _, at in doomed.renderings:
        slots.update(seal.slot for seal in store.header(at).seals)
    slots.update(part.slot for part in doomed.parts)
    for seq in reasons:
        slots.update(seal.slot for seal in store.header(seq).seals)
    decided = _decided_lines(store, kept, texts, stones, aged=aged)
    names = _names(store, doomed)
    if person:
        names.append(person)
        for secret in store.graph.secrets_of(person):
            slots.update(seal.slot for seal in store.header(secret).seals)
        for seq in (*store.state.erasures, *store.state.restraint.records):
            header = store.header(seq)
            if store.state.names[person] in (header.by, header.behalf):
                slots.update(seal.slot for seal in header.seals)
    named = set(names)
    for seq, *origins, _ in store.state.kinships:  # why they are one may name them
        if named & {*origins}:
            slots.update(seal.slot for seal in store.header(seq).seals)
    for seq in names:
        slots.update(seal.slot for seal in store.header(seq).seals)
        for scope, digest in mark_digests(store, seq):
            stones[(TombstoneSort.MARK, digest, scope)] = None
    for seq in records_about(store.state, (*doomed.sources, *doomed.claims, person)):
        slots.update(seal.slot for seal in store.header(seq).seals)
    days = {*by_day} if aged else _receipt_days(store, doomed, whole, texts)
    receipts = store.graph.receipts_under(days)
    answers = answer_slots(
        store,
        under=days,
        asked_in=whole,
        readers=() if aged else _readers(store, doomed),
        wanted=() if aged else _wanted(texts),
    )
    lines = decided | _block_slots(store, doomed, whole, texts)
    slots |= _reason_slots(store, doomed, texts)
    slots = {slot for slot in slots | days | answers | lines if slot not in store.state.destroyed}
    scopes = store.state.names
    left = [seq for seq in cited if seq in store.state.sources and seq not in doomed.sources]
    return _Reach(
        slots=frozenset(slots),
        names=tuple(names),
        receipts=receipts,
        answers=len(answers),
        tombstones=tuple(
            Tombstone(sort=stone, digest=digest, scope=scopes[scope])
            for stone, digest, scope in stones
        ),
        lines=len(lines),
        remaining=tuple(
            dict.fromkeys(
                (
                    *(left if sort in _CLAIMS else ()),
                    *said_again(store, (*doomed.sources, *doomed.claims), slots),
                )
            )
        ),
    )


def _decided_lines(
    store: Store, lines: Sequence[KeptLine], texts: set[str], stones: "Stones", *, aged: bool
) -> set[int]:
    """Return the slots of lines that go by themselves, and keep words out of those blocks that are not aged."""
    slots: set[int] = set()
    for line in lines:
        header = store.header(store.state.ids[line.ref.record])
        slots.add(header.seals[line.ref.seal].slot)
        if aged:
            continue
        texts.add(compared(line.text))
        if isinstance(header, BlockRecord):
            scope = store.state.ids[header.scope]
            for sort, digest in claim_digests(
                store, store.names.scope(scope).person, line.text, ""
            ):
                stones[(sort, digest, scope)] = None
    return slots


Stones = dict[tuple[TombstoneSort, str, int], None]


def _slots_of_source(store: Store, seq: int) -> set[int]:
    """Return the slots of a source's parts and of why access to it was revoked."""
    about = (at for at, of, _ in store.state.accesses if of == seq)
    return {seal.slot for at in (seq, *about) for seal in store.header(at).seals}


def _source(store: Store, seq: int, texts: set[str], stones: Stones) -> None:
    header, sealed = store.record(seq)
    source = store.state.sources[seq]
    text = "".join(words["text"] for words in sealed)
    texts.add(compared(text))
    person = store.names.scope(source.scope).person
    by_tool = source.medium is Medium.TOOL_RESULT
    origin = store.names.name(source.author if by_tool else source.origin)
    for sort, digest in source_digests(store, person, source.medium, origin, header.key, text):
        stones[(sort, digest, source.scope)] = None


def _slots_of_claim(store: Store, seq: int) -> set[int]:
    """Return the slots of a claim's wordings, of why it was changed, muted, or asked to be forgotten."""
    claim = store.state.claims[seq]
    changes = [at for at in claim.changes if isinstance(store.header(at), ChangeRecord)]
    about = store.state.restraint.about.get(seq, ())
    records = (*claim.assertions, *changes, *about)
    return {seal.slot for at in records for seal in store.header(at).seals}


def _claim(store: Store, seq: int, texts: set[str], stones: Stones) -> None:
    claim = store.state.claims[seq]
    person = store.names.scope(claim.scope).person
    for at in claim.assertions:
        _, (words, *_) = store.record(at)
        said = (*claim_texts(words["quote"], words["gist"]), words["value"])
        texts.update(compared(text) for text in said if text)
        for sort, digest in claim_digests(store, person, words["quote"], words["gist"]):
            stones[(sort, digest, claim.scope)] = None


def _names(store: Store, doomed: Doomed) -> list[int]:
    """Return the origins, tools and conversations that nothing but the doomed sources names."""
    state, held = store.state, set[int]()
    gone = set(doomed.sources)
    for seq in doomed.sources:
        source, header = state.sources[seq], store.header(seq)
        held |= {source.author, source.origin, source.conversation}
        if isinstance(header, SourceRecord):
            held |= {state.number(part.origin) for part in header.parts}
    held = {seq for seq in held if state.entity_types.get(seq, "") in _NAMED_WITH}
    if not held:
        return []
    for seq, source in state.sources.items():
        if seq not in gone:
            held -= {source.author, source.origin, source.conversation}
    for seq, origin in store.graph.sources_with_part_of(held):
        if seq not in gone and seq in state.sources:
            held.discard(origin)
    return sorted(held)


def _receipt_days(store: Store, doomed: Doomed, whole: frozenset[int], texts: set[str]) -> set[int]:
    """Return the keys of the receipts that gave an erased claim, repeat erased words, or were asked in these scopes."""
    state = store.state
    days = {slot for _, slot in store.graph.receipts_of(doomed.claims, whole)}
    wanted = _wanted(texts)
    for seq, slot in store.graph.receipts_of((), _readers(store, doomed)) if wanted else ():
        if slot not in days and slot not in state.destroyed:
            words = store.words(seq)
            asked = (words["question"], *words["present"], *words["present"].values())
            padded = f" {' | '.join(compared(str(text)) for text in asked)} "
            if any(f" {text} " in padded for text in wanted):
                days.add(slot)
    return days - state.destroyed


def _readers(store: Store, doomed: Doomed) -> list[int]:
    """Return the scopes from which something of the doomed may be read."""
    state = store.state
    scopes = {state.claims[seq].scope for seq in doomed.claims}
    scopes |= {state.sources[seq].scope for seq in doomed.sources}
    return [seq for seq, key in state.scopes.items() if scopes & state.readable(key)]


def _wanted(texts: set[str]) -> tuple[str, ...]:
    """Return the erased texts that are looked for where something may say them again."""
    return tuple(text for text in texts if len(text) >= _SHORTEST)


def _reason_slots(store: Store, doomed: Doomed, texts: set[str]) -> set[int]:
    """Return the keys of the reasons of changes that named the doomed as grounds, or repeat erased words of hers."""
    state = store.state
    gone = {state.names[seq] for seq in (*doomed.sources, *doomed.claims)}
    scopes = {state.sources[seq].scope for seq in doomed.sources}
    scopes |= {state.claims[seq].scope for seq in doomed.claims}
    whose = {state.scopes[scope][1] for scope in scopes}
    wanted = _wanted(texts)
    found: set[int] = set()
    for at, claim in store.graph.changes():
        header = store.header(at)
        if not isinstance(header, ChangeRecord) or not header.seals:
            continue
        slot = header.seals[0].slot
        near = state.scopes[state.claims[claim].scope][1] in whose and slot not in state.destroyed
        if gone.intersection(header.antecedents) or (near and _repeats(store, at, wanted)):
            found.add(slot)
    return found


def _repeats(store: Store, change: int, wanted: Sequence[str]) -> bool:
    """Return whether the reason of a change says again what is erased."""
    try:
        padded = f" {compared(store.words(change)['note'])} "
    except UNREADABLE:
        return False
    return any(f" {text} " in padded for text in wanted)


def _block_slots(store: Store, doomed: Doomed, whole: frozenset[int], texts: set[str]) -> set[int]:
    """Return the keys of lines of blocks taken from the doomed or repeating their words, and of those in `whole`."""
    state = store.state
    gone = {state.names[seq] for seq in (*doomed.sources, *doomed.claims)}
    scopes = {state.sources[seq].scope for seq in doomed.sources}
    scopes |= {state.claims[seq].scope for seq in doomed.claims}
    whose = {state.scopes[scope][1] for scope in scopes}
    wanted = _wanted(texts)

    def linked(line: KeptLine) -> bool:
        return bool(gone & {line.ref.source, line.ref.claim, *line.ref.grounds})

    def repeats(line: KeptLine) -> bool:
        padded = f" {compared(line.text)} "
        return linked(line) or any(f" {text} " in padded for text in wanted)

    found: set[int] = set()
    for scope in state.blocks:
        owner = state.scopes[scope][1]
        if scope in whole:
            found.update(block_slots(store, scope))
        else:
            # What a person erases of her own says nothing of another's lines that happen to read the same.
            found.update(block_slots(store, scope, repeats if whose & {0, owner} else linked))
    return found
