"""The always-on block of a person: read, rewritten whole, put back, cleared."""

import re
from collections.abc import Sequence

from muniment.claims import (
    SOURCE_LIMIT,
    Block,
    BlockChange,
    BlockLine,
    BlockLineRef,
    BlockRecord,
    BlockVerb,
    BlockWrite,
    Category,
    ConflictError,
    Decision,
    Integrity,
    InvalidError,
    Kind,
    NotFoundError,
    Right,
    Scope,
    Standing,
    Verdict,
    checked_text,
    cleaned,
    hidden_characters,
)
from muniment.lineage import (
    HOST,
    ClaimState,
    Erasure,
    NewLine,
    SourceState,
    block_history,
    block_view,
    clear_block,
    current_block,
    differing,
    hush_of,
    is_withheld,
    lines_of,
    muted_by,
    waiting_block,
    words_passage,
    write_block,
)
from muniment.policy import (
    decide,
    is_asked,
    judge_block,
    judge_credentials,
    judge_lines,
    judge_own_block,
    reviews_block,
)

from .acting import Acting, Grounds
from .erasing import basis_of
from .given import reason_given, text_given
from .keeping import must_allow, whole
from .proving import must_prove
from .remembering import Wish, prepare

_VERB = "rewrite_block"
# Whatever a reader takes for the end of a line ends one here, or a line could pose as another.
_BREAKS = re.compile("\r\n|[\r\x85\u2028\u2029]")


def _scope(acting: Acting) -> Scope:
    if not acting.scope.person and acting.identified:
        raise InvalidError("a block is a person's; open the session with person=…")
    return Scope(person=acting.scope.person)


def _number(acting: Acting) -> int:
    """Return the number of the scope the block stands in, 0 where nothing of the person is known."""
    if not acting.scope.person:
        return 0
    known = acting.store.state.scope_numbers.get(acting.store.names.key_of(_scope(acting)), 0)
    return 0 if known in acting.closed() else known


def read_block(acting: Acting, *, waiting: bool = False) -> Block:
    """Return the person's block, or the write that waits for her; into an agent's context its labels enter."""
    _must_look(acting)
    find = waiting_block if waiting else current_block
    block = block_view(acting.store, find(acting.store, _number(acting)), now=acting.now())
    for line in block.lines:
        acting.has_read(line.integrity)
    return block


def block_in_prompt(acting: Acting, *, sensitive: bool) -> tuple[Block, dict[str, str]]:
    """Return the block as a prompt may carry it now, and the lines it may not with the rule that keeps each back.

    What is muted stays out, what speaks of it too; so does what is `sensitive`, unless a need for it was given.
    """
    whole = block_view(acting.store, current_block(acting.store, _number(acting)), now=acting.now())
    readable = acting.own_scopes()
    hush = hush_of(acting.store, readable, sensitive=not sensitive)
    kept: list[BlockLine] = []
    held = {line.text: (line.standing or Standing.STALE).name for line in whole.review}
    for line in whole.lines:
        rule = hush.rule_for(line.text) or _ground_hushed(acting, line, readable, sensitive)
        if rule and line.text:
            held[line.text] = rule
        else:
            kept.append(line)
    return whole.model_copy(update={"lines": tuple(kept)}), held


def _ground_hushed(
    acting: Acting, line: BlockLine, readable: frozenset[int], sensitive: bool
) -> str:
    """Return the rule by which what a line was taken from is not brought up, empty where it may be."""
    state = acting.store.state
    for name in (line.claim, *line.grounds):
        claim = state.claims.get(state.ids.get(name, 0)) if name else None
        if claim is not None and muted_by(acting.store, claim, readable):
            return "MUTED"
        if claim is not None and not sensitive and is_withheld(state, claim):
            return "SENSITIVE"
    return ""


def is_block_waiting(acting: Acting) -> bool:
    """Return whether a write of the block waits for the person."""
    return waiting_block(acting.store, _number(acting)) != 0


def read_block_history(acting: Acting) -> tuple[BlockChange, ...]:
    """Return every change of the person's block, oldest first."""
    _must_look(acting)
    return block_history(acting.store, _number(acting))


def _must_look(acting: Acting) -> None:
    """Raise RefusedError where the block may not be looked at now; nobody sees none."""
    if acting.identified:
        acting.must_look()


def rewrite(
    acting: Acting, text: str, grounds: Grounds, *, seen: str | None, anew: bool
) -> BlockWrite:
    """Write the block whole; lines that stay keep their labels, new ones take their writer's."""
    if str(text).strip():  # of an empty one policy speaks
        text_given(text, "the block", limit=SOURCE_LIMIT)
    plain = _BREAKS.sub("\n", text)
    kept = "\n".join(line.rstrip() for line in cleaned(plain).strip().split("\n"))
    acting.must_be_admitted(_scope(acting))
    scope, before = _scope(acting), current_block(acting.store, _number(acting))
    if seen is not None:
        _must_be_seen(acting, before, seen)
    nodes = acting.nodes(grounds)
    lines = _labelled(acting, kept.split("\n"), before, nodes)
    new = [line for line in lines if isinstance(line, NewLine) and line.text]
    judged = judge_block(
        identified=acting.identified,
        text=kept,
        new=[line.integrity for line in new],
        reviewed=reviews_block(acting.policy.preset, by_agent=not acting.alone),
    )
    secret = judge_credentials(("\n".join(line.text for line in new),))
    decision = must_allow(acting, _VERB, (acting.identified and secret) or judged)
    clean, hints = judge_lines(
        [(line.text, _ends(acting, line)) for line in new],
        preset=acting.policy.preset,
        by_agent=not acting.alone,
    )
    if clean and decision.rule == "BLOCK_WRITTEN" or clean and clean.verdict is Verdict.REFUSE:
        decision = must_allow(acting, _VERB, clean)
    hidden = tuple(f"U+{item.code:04X}" for item in hidden_characters(plain))
    if not new and [line.text for line in lines_of(acting.store, before)] == kept.split("\n"):
        return BlockWrite(block=read_block(acting), hidden=hidden, decision=decision)
    passage = words_passage(
        acting.store, scope, [line.text for line in new], by_person=acting.alone, anew=anew
    )
    if passage.is_closed:
        raise acting.suppressed(_VERB, passage)
    with acting.store.group() as store:
        header = write_block(
            store,
            decision,
            acting.writer(),
            scope=_apart(acting, scope),
            verb=BlockVerb.REWRITE,
            lines=lines,
            held=decision.verdict is Verdict.HOLD,
            passage=passage,
        )
    return _told(acting, header.seq, before, decision, hidden).model_copy(update={"hints": hints})


def _ends(acting: Acting, line: NewLine) -> bool:
    """Return whether a line leaves the block by itself, because the claim it is taken from ends."""
    state = acting.store.state
    claim = state.claims.get(state.ids[line.claim]) if line.claim else None
    return claim is not None and (claim.expires, claim.valid_to) != (None, None)


def _apart(acting: Acting, scope: Scope) -> int:
    acting.set_apart(scope)
    return acting.store.names.register_scope(scope)


def _must_be_seen(acting: Acting, before: int, seen: str) -> None:
    """Raise ConflictError where the block was written since the write that was seen."""
    current = acting.store.state.names[before]
    if text_given(seen, "seen") != current:
        raise ConflictError(
            "the block was changed elsewhere since you saw it; look at it, then save again or take it over",
            current=block_view(acting.store, before, now=acting.now()),
        )


def _labelled(
    acting: Acting,
    texts: Sequence[str],
    before: int,
    nodes: Sequence[SourceState | ClaimState],
) -> list[BlockLineRef | NewLine]:
    """Return the lines of the text: those that stood already as they were, the others with the writer's label."""
    standing = [line for line in lines_of(acting.store, before) if line.text] if before else []
    found: list[BlockLineRef | NewLine] = []
    for text in texts:
        same = next((line for line in standing if line.text == text), None)
        if same is not None:
            standing.remove(same)
            found.append(same.ref)
        else:
            checked_text(text, "a line", limit=SOURCE_LIMIT) if text else None
            found.append(_new_line(acting, text, nodes))
    return found


def _new_line(acting: Acting, text: str, nodes: Sequence[SourceState | ClaimState]) -> NewLine:
    """Return a line with its label: the person's own where she writes it or a message of hers says all of it."""
    claims = [
        node
        for node in nodes
        if isinstance(node, ClaimState) and cleaned(acting.view(node).words) == text
    ]
    claim = claims[0].id if claims else ""
    named = text and not claim
    grounds = tuple(dict.fromkeys(node.id for node in nodes)) if named else ()
    if acting.alone:
        return NewLine(text=text, integrity=Integrity.USER, claim=claim, grounds=grounds)
    if claims:
        return NewLine(text=text, integrity=claims[0].integrity, claim=claim)
    if not grounds:
        return NewLine(text=text, integrity=min(acting.integrity, acting.mark))
    # A line reaches every prompt, so it is judged as what directs is: a whole sentence of the person's, or a guess.
    wish = Wish.asked(text=text, kind=Kind.STATED, category=Category.CONSTRAINT)
    prepared = prepare(acting.store, acting.policy, acting.asker(), wish, nodes)
    must_allow(acting, _VERB, prepared.ruling.decision)
    stated = prepared.ruling.kind is Kind.STATED
    source = prepared.claim.spans[0].source if stated else ""
    return NewLine(
        text=text,
        integrity=prepared.ruling.integrity,
        source=source,
        grounds=() if source else grounds,
    )


def _told(
    acting: Acting, written: int, before: int, decision: Decision, hidden: tuple[str, ...] = ()
) -> BlockWrite:
    store = acting.store
    dropped, added = differing(lines_of(store, before) if before else (), lines_of(store, written))
    header = store.header(before) if before else None
    return BlockWrite(
        id=store.state.names[written],
        block=read_block(acting),
        dropped=dropped,
        added=added,
        hidden=hidden,
        replaced=store.state.names[before],
        replaced_by=store.names.name(store.state.number(header.by)) if header else "",
        held=decision.verdict is Verdict.HOLD,
        decision=decision,
    )


def _must_own(acting: Acting, verb: str) -> Decision:
    decision = (
        decide("NO_IDENTITY") if not acting.identified else judge_own_block(alone=acting.alone)
    )
    return must_allow(acting, verb, decision)


def accept(acting: Acting) -> BlockWrite:
    """Let the write that waits take the block's place; its lines keep their labels."""
    decision = _must_own(acting, "accept_block")
    waiting = waiting_block(acting.store, _number(acting))
    if not waiting:
        raise NotFoundError("no write of the block waits here")
    header = acting.store.header(waiting)
    if not (isinstance(header, BlockRecord) and is_asked(header.decision.rule)):
        must_prove(acting, "accept_block")
    lines = [line.ref for line in lines_of(acting.store, waiting)]
    return _put(acting, BlockVerb.ACCEPT, lines, decision, settles=waiting)


def put_back(acting: Acting, write: str) -> BlockWrite:
    """Let the block be as an earlier write made it, but for lines destroyed since."""
    decision = _must_own(acting, "put_back_block")
    number, seq = _number(acting), acting.store.state.ids.get(text_given(write, "the write"), 0)
    former = [one.seq for one in acting.store.state.blocks.get(number, ()) if not one.held]
    if seq not in former:
        raise NotFoundError(f"no write {write!r} of this block is known; see its history")
    lines = lines_of(acting.store, seq)
    if not any(line.text for line in lines):
        raise NotFoundError(f"nothing is left of the write {write!r}: its lines were destroyed")
    return _put(acting, BlockVerb.PUT_BACK, [line.ref for line in lines], decision)


def _put(
    acting: Acting,
    verb: BlockVerb,
    lines: Sequence[BlockLineRef],
    decision: Decision,
    *,
    settles: int = 0,
) -> BlockWrite:
    number = _number(acting)
    before = current_block(acting.store, number)
    with acting.store.group() as store:
        header = write_block(
            store,
            decision,
            acting.writer(),
            scope=number,
            verb=verb,
            lines=lines,
            settles=store.state.names[settles],
            # These lines came in already: nothing new does.
            passage=words_passage(store, _scope(acting), (), by_person=True, anew=False),
        )
    return _told(acting, header.seq, before, decision)


def decline(acting: Acting, *, dry_run: bool) -> Erasure:
    """Destroy what the write that waits would add."""
    decision = _must_own(acting, "decline_block")
    number = _number(acting)
    waiting = waiting_block(acting.store, number)
    if not waiting:
        raise NotFoundError("no write of the block waits here")
    if dry_run:
        return clear_block(acting.store, decision, HOST, scope=number, held=waiting, dry_run=True)
    with whole(acting, "clear_block"):
        return clear_block(
            acting.store, decision, acting.writer(Right.MANAGE), scope=number, held=waiting
        )


def clear(acting: Acting, *, basis: str, reason: str, dry_run: bool) -> Erasure:
    """Destroy the block with every earlier write of it."""
    ground, decision = basis_of(basis), _must_own(acting, "clear_block")
    number = _number(acting)
    if not current_block(acting.store, number):
        raise NotFoundError("there is no block to clear")
    if dry_run:
        return clear_block(acting.store, decision, HOST, scope=number, basis=ground, dry_run=True)
    must_prove(acting, "clear_block")
    with whole(acting, "clear_block"):
        return clear_block(
            acting.store,
            decision,
            acting.writer(Right.MANAGE),
            scope=number,
            basis=ground,
            reason=reason_given(reason),
        )
