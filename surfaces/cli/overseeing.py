"""Duties beside a person's own: who may do what, the auditor's look at everything but words, the approver's hand."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from rich.text import Text

from muniment import Approver, Auditor, Claim, JournalEntry, Memory, Role, Scope, roles_of
from muniment.claims import InvalidError
from muniment.policy import MAY

from .asking import secret_typed
from .exits import OK
from .identity import os_user, require
from .opening import governed, is_store, looked_over
from .options import SessionOptions, StoreOptions, claim_at
from .reviewing import show_item
from .safe import line_text, moment_text
from .showing import DIM, STRONG, Screen, coded, emit, grid, reference
from .words import rule_words, word

_STORE = StoreOptions()
_SESSION = SessionOptions()
_AUDITS = ("journal", "decisions", "receipts")


def roles(*, options: StoreOptions = _STORE) -> int:
    """List the roles, what each may do, and which of them the system's user has in this store."""
    held: frozenset[Role] = frozenset()
    if is_store(options.store):
        held = roles_of(Memory.host_of(options.store), os_user())
    calls = {role: [call for call, may in MAY.items() if role in may] for role in Role}
    if options.json:
        listed = [
            {
                "role": role,
                "is": word(f"role_is.{role.value}"),
                "held": role in held,
                "may": calls[role],
            }
            for role in Role
        ]
        emit({"user": os_user(), "roles": listed})
        return OK
    screen = Screen()
    for role in Role:
        mark = f"  {word('roles.held', None, user=line_text(os_user()))}" if role in held else ""
        name = coded(word(f"role.{role.value}"), role.value)
        screen.put(Text.assemble(name, (mark, STRONG)))
        screen.put(Text(word(f"role_is.{role.value}")), indent=2)
        screen.put(Text(", ".join(calls[role]), style=DIM), indent=2)
    return OK


def audit(
    action: Literal["journal", "decisions", "receipts", "receipt", "investigate"],
    thing: str = "",
    /,
    *,
    out: Path | None = None,
    rule: str = "",
    options: StoreOptions = _STORE,
) -> int:
    """Look at everything but words, with nothing written: for auditors.

    Parameters
    ----------
    action
        journal: every record; decisions: those that carry one; receipts: every recall, with what was withheld and by
        which rule; receipt ID: one of them; investigate ID: the lineage of a claim, a source or a receipt.
    thing
        The identifier, with receipt and investigate.
    out
        With investigate: the new file for the bundle, to be checked offline.
    rule
        With decisions: of this rule only.
    """
    if bool(thing) != (action not in _AUDITS):
        wanted = "takes no identifier" if thing else "needs the identifier of what is looked at"
        raise InvalidError(f"audit {action} {wanted}")
    if out is not None and (action != "investigate" or out.exists()):
        raise InvalidError("--out goes with: audit investigate ID, and names a new file")
    if rule and action != "decisions":
        raise InvalidError("--rule goes with: audit decisions")
    with looked_over(options, f"Auditor.{action}") as memory:
        auditor = memory.auditor(os_user())
        if action == "investigate":
            return _investigated(options, auditor, thing, out)
        if action == "receipt":
            emit(auditor.receipt(thing))
        elif action == "receipts":
            for one in auditor.receipts():
                emit(one)
        else:
            found = auditor.journal() if action == "journal" else auditor.decisions(rule=rule)
            _entries(options, found)
    return OK


def _entries(options: StoreOptions, found: Iterator[JournalEntry]) -> None:
    if options.json:
        for entry in found:
            emit(entry)
        return
    rows = (
        (
            str(one.seq),
            moment_text(one.at),
            one.op,
            one.id,
            one.verdict,
            coded(rule_words(one.rule, one.reason), one.rule) if one.rule else "",
        )
        for one in found
    )
    Screen().table(grid(("number", "at", "record", "identifier", "verdict", "rule"), rows))


def _investigated(options: StoreOptions, auditor: Auditor, thing: str, out: Path | None) -> int:
    found = auditor.investigate(claim_at(thing, None)[0])
    if out is not None:
        with out.open("x", encoding="utf-8") as file:
            file.write(found.bundle)
    if options.json:
        emit(found.model_copy(update={"bundle": str(out) if out else ""}))
        return OK
    _entries(options, iter(found.records))
    screen = Screen()
    if out is not None:
        screen.put(Text(line_text(str(out))))
    screen.put(Text(word("verify.undetermined")))
    for line in found.undetermined:
        screen.put(Text(line_text(line)), indent=2)
    return OK


def settle(
    action: Literal["list", "approve", "reject", "set-secret"] = "list",
    claim: str = "",
    /,
    *,
    reason: str = "",
    options: SessionOptions = _SESSION,
) -> int:
    """Settle what agents that work alone let wait, in --project, --org, --channel or --agent: for approvers.

    Parameters
    ----------
    action
        list what waits there, each to be looked at; approve or reject one; set-secret: what approving asks for then.
    claim
        The claim as ID@VERSION, as the list shows it.
    reason
        Why, for the history.
    """
    if bool(claim) != (action in ("approve", "reject")):
        raise InvalidError("write it as: muniment settle approve ID@VERSION, or settle alone")
    if options.person is not None or options.session:
        raise InvalidError(
            "an approver acts as the system's user; --person and --session do not go here"
        )
    with governed(options, "Approver.review") as memory:
        approver = _approver(memory, options)
        if action == "list":
            return _waiting(options, approver)
        if action == "set-secret":
            former = secret_typed("former") if approver.needs_secret else ""
            approver.set_secret(secret_typed("new", again=True), former=former)
            emit({"set": True}) if options.json else Screen().put(word("secret.set"))
            return OK
        name, seen = claim_at(claim, None)
        if action == "approve" and approver.needs_secret:
            approver.prove(secret_typed("ask"))
        act = approver.approve if action == "approve" else approver.reject
        return _settled(options, act(name, version=seen, reason=reason))


def _settled(options: SessionOptions, found: Claim) -> int:
    if options.json:
        emit(found)
        return OK
    standing = coded(word(f"standing.{found.standing.value}"), found.standing.value)
    Screen().put(
        Text.assemble((f"“{line_text(found.words)}”", STRONG), f"  {reference(found)}  ", standing)
    )
    return OK


def _waiting(options: SessionOptions, approver: Approver) -> int:
    found = tuple(approver.review())
    screen = Screen()
    for item in found:
        emit(item) if options.json else show_item(screen, item)
    if not found and not options.json:
        screen.put(word("review.nothing"))
    return OK


def _approver(memory: Memory, options: SessionOptions) -> Approver:
    """Return the hand for the scope that the options name, or the only one that store.toml gives; the host has any."""
    fields = {name: getattr(options, name) for name in ("org", "project", "channel", "agent")}
    user = os_user()
    granted = memory.host.approvers.get(user, ())
    if not any(fields.values()) and len(granted) == 1:
        fields = {name: getattr(granted[0], name) for name in fields}
    wanted = Scope(**fields)
    if not wanted.named():
        raise InvalidError("name the scope to settle in: --project, --org, --channel or --agent")
    if not any(one.named().items() <= wanted.named().items() for one in granted):
        require(memory.host, "Memory.approver")
    return memory.approver(memory.host.people.get(user, user), **fields)
