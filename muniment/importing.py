"""Import: a person's own sealed export comes in as what it was, every other file line by line as from outside."""

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

from pydantic import ValidationError

from muniment.claims import (
    CLAIM_LIMIT,
    SOURCE_LIMIT,
    Block,
    Category,
    Claim,
    Decision,
    IntegrityError,
    InvalidError,
    Kind,
    Lifecycle,
    MunimentError,
    RefusedError,
    Scope,
    Source,
    StorageError,
    Value,
    canonical_bytes,
    checked_text,
)
from muniment.lineage import Progress, Signer, is_signed
from muniment.policy import decide, judge_import

from .acting import Acting
from .carrying import CarriedBlock, CarriedClaim, CarriedMute, CarriedSensitivity, CarriedSource
from .echoing import given_out
from .exporting import SEALED, sealed_bytes
from .given import NAME_LIMIT, text_given
from .ingest import LineError
from .keeping import IMPORT, document_of, keep_claim, keep_source, must_allow
from .proving import must_prove
from .remembering import Wish
from .taking_over import FileLine, LeftOut, TakingOver

VERB = "import_lines"
_BATCH = 400
_CURRENT = ("active", "contested", "pending", "stale")


class ImportReport(Value):
    """What became of a file: `decision` says as what it was taken in, `left_out` what stays out and by which rule.

    `accepted` counts the lines of which something was written, `unchanged` those that were here already, `waiting`
    those that wait for the person under `origin`. `key` is that of the store that sealed the file, empty for none.
    """

    decision: Decision
    origin: str = ""
    key: str = ""
    accepted: int = 0
    unchanged: int = 0
    waiting: int = 0
    left_out: tuple[LeftOut, ...] = ()
    errors: tuple[LineError, ...] = ()


class _Seal(NamedTuple):
    """Who sealed a file, empty where no seal holds; whose export it says it is."""

    key: str
    person: str


def import_lines(
    acting: Acting, signer: Signer, lines: Iterable[str], origin: str, progress: Progress | None
) -> ImportReport:
    """Return what became of the lines of a file; the same file a second time changes nothing."""
    if isinstance(lines, str | bytes):
        raise InvalidError("lines are a file or a list of lines; write text.split('\\n')")
    acting.must_write_for(VERB)
    checked_text(text_given(origin, "the origin"), "the origin", limit=NAME_LIMIT)
    texts = [line.removeprefix("\ufeff").rstrip("\r\n") for line in lines]
    seal = _seal_of(texts)
    decision = judge_import(
        alone=acting.alone,
        own=seal.person == acting.scope.person,
        sealed_by=seal.key,
        known=(signer.key, *acting.policy.stores),
    )
    if decision.rule == "OWN_EXPORT":
        return _own(acting, decision, seal.key, texts, progress)
    return _outside(acting, decision, seal.key, texts, origin, progress)


def _seal_of(texts: Sequence[str]) -> _Seal:
    """Return the seal that holds for all lines before the last one."""
    written = [text for text in texts if text.strip()]
    if len(written) < 2:
        return _Seal("", "")
    head, last = _fields(written[0]), _fields(written[-1])
    if head.get("type") != "muniment" or last.get("type") != "seal":
        return _Seal("", "")
    digest = sha256()
    for text in written[:-1]:
        digest.update(sealed_bytes(text))
    key, note = str(last.get("key", "")), str(last.get("note", ""))
    said = note.startswith(f"{SEALED}\n{digest.hexdigest()}\n\n")
    if not said or last.get("lines") != len(written) - 1 or not is_signed(note, key):
        return _Seal("", "")
    return _Seal(key, str(head.get("person", "")))


def _fields(text: str) -> dict[str, Any]:
    """Return the JSON object of a line, an empty one where it is none."""
    try:
        found = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]


# --- the person's own ---------------------------------------------------------------------------------------------


def _own(
    acting: Acting, decision: Decision, key: str, texts: Sequence[str], progress: Progress | None
) -> ImportReport:
    must_allow(acting, VERB, decision)
    must_prove(acting, VERB)
    lines = [
        line
        for number, text in enumerate(texts, 1)
        if text.strip() and (line := _file_line(number, _fields(text)))
    ]
    with acting.store.lock:
        run = TakingOver(acting, progress)
        run.take(lines)
    given_out(acting, VERB, run.given)
    return ImportReport(
        decision=decision,
        key=key,
        accepted=len(run.accepted),
        unchanged=len(run.known - run.accepted - {left.line for left in run.left_out}),
        left_out=run.left_out,
    )


_VIEWS: dict[str, type[Source | Claim | Block]] = {"source": Source, "claim": Claim, "block": Block}
_CARRIED: dict[
    str, type[CarriedSource | CarriedClaim | CarriedBlock | CarriedMute | CarriedSensitivity]
] = {
    "source": CarriedSource,
    "claim": CarriedClaim,
    "block": CarriedBlock,
    "mute": CarriedMute,
    "forget": CarriedMute,
    "sensitive": CarriedSensitivity,
}


def _file_line(number: int, fields: dict[str, Any]) -> FileLine | None:
    """Return what a line of a sealed export says, None for the first and the last."""
    sort = str(fields.pop("type", ""))
    if sort in ("muniment", "seal"):
        return None
    person = str(fields.pop("person", "")) if sort == "block" else ""
    try:
        record = fields.pop("record", None)
        shape = _CARRIED[sort]
        carried = shape.model_validate(record) if record is not None else None
        view = _VIEWS[sort].model_validate(fields) if sort in _VIEWS else None
    except (KeyError, ValidationError):
        raise InvalidError(
            f"line {number}: a newer version wrote this export; nothing was taken in, import it with that version"
        ) from None
    return FileLine(number, sort, view, person, carried)


# --- everything else ----------------------------------------------------------------------------------------------


class _Item(NamedTuple):
    """Words of a file: the number of their line, and whether they are to be a claim, or are evidence only."""

    line: int
    words: str
    is_claim: bool
    is_sensitive: bool = False


class _Outside:
    """One run over a file from outside."""

    def __init__(self, acting: Acting, decision: Decision, origin: str) -> None:
        self._acting, self._decision, self._origin = acting, decision, origin
        # Whoever of her agents brings the same file, or she herself, brings it again.
        self._place = f"{IMPORT} {canonical_bytes(acting.claims_scope().named()).decode('utf-8')}"
        self.accepted = self.unchanged = self.waiting = 0
        self.left: list[LeftOut] = []
        self.errors: list[LineError] = []

    def batch(self, items: Sequence[_Item]) -> None:
        """Take in a batch of lines as one group; a wrong line is named and left out."""
        with self._acting.store.group() as store:
            for item in items:
                before = store.state.seq
                try:
                    self._keep(item)
                except (StorageError, IntegrityError):
                    raise
                except RefusedError as error:
                    rule, reason = error.decision.rule, error.decision.reason
                    self.left.append(LeftOut(line=item.line, id="", rule=rule, reason=reason))
                except MunimentError as error:
                    self.errors.append(
                        LineError(line=item.line, error=error.kind, message=str(error))
                    )
                else:
                    self.accepted += store.state.seq > before
                    self.unchanged += store.state.seq == before

    def _keep(self, item: _Item) -> None:
        """Keep words as a document of the file's origin, and what they claim so that it waits for the person."""
        checked_text(item.words, "the line", limit=CLAIM_LIMIT if item.is_claim else SOURCE_LIMIT)
        acting, state = self._acting, self._acting.store.state
        # The words make the key, so a file that grew adds what is new, and what was erased stays known.
        said = canonical_bytes([self._origin, item.words])
        key = f"{IMPORT}:{sha256(said).hexdigest()}"
        incoming = document_of(item.words, self._origin, "text/plain", "", None)
        source = keep_source(acting, incoming, key, place=self._place)
        if item.is_claim:
            wish = Wish.asked(text=item.words, kind=Kind.EXTERNAL, category=Category.FACT)
            sensitive = decide("SENSITIVE_AGAIN") if item.is_sensitive else None
            known = state.seq
            seq, _, _ = keep_claim(
                acting, wish, [state.names[source]], f"{key}:claim",
                waits=self._decision, activity=IMPORT, place=self._place, sensitive=sensitive,
            )  # fmt: skip
            self.waiting += state.seq > known and state.claims[seq].lifecycle is Lifecycle.PENDING


def _outside(
    acting: Acting,
    decision: Decision,
    key: str,
    texts: Sequence[str],
    origin: str,
    progress: Progress | None,
) -> ImportReport:
    run, done = _Outside(acting, decision, origin), 0
    closed = frozenset[Scope]() if _is_apart(acting) else _apart_there(texts)
    items = list(_items(texts, closed, run.left))
    left = iter(items)
    while batch := list(islice(left, _BATCH)):
        run.batch(batch)
        done += len(batch)
        if progress:
            progress(done, len(items))
    return ImportReport(
        decision=decision,
        origin=origin,
        key=key,
        accepted=run.accepted,
        unchanged=run.unchanged,
        waiting=run.waiting,
        left_out=tuple(run.left),
        errors=tuple(run.errors),
    )


def _is_apart(acting: Acting) -> bool:
    """Return whether what this session keeps lies in a sensitive scope."""
    store, scope = acting.store, acting.claims_scope()
    known = store.state.scope_numbers.get(store.names.key_of(scope), 0)
    return known in store.state.sensitive.scopes or acting.policy.admitted(scope) is not None


def _apart_there(texts: Sequence[str]) -> frozenset[Scope]:
    """Return the scopes that an export says are sensitive: that is believed of any file, for it raises nothing."""
    told = (fields for fields in map(_fields, texts) if fields.get("type") == "sensitive")
    return frozenset(
        scope for fields in told if not fields.get("claim") and (scope := _scope(fields))
    )


def _scope(fields: dict[str, Any]) -> Scope | None:
    try:
        return Scope.model_validate(fields.get("scope"))
    except ValidationError:
        return None


def _items(texts: Sequence[str], closed: frozenset[Scope], left: list[LeftOut]) -> Iterator[_Item]:
    """Yield what the lines say: of an export whose seal does not hold the words, of any other file each line.

    What an export says lay in one of the `closed` scopes is left out.
    """
    first = next((text for text in texts if text.strip()), "")
    sort = _fields(first).get("type")
    for number, text in enumerate(texts, 1):
        if sort != "muniment":
            if words := text.strip():
                yield _Item(number, words, True)
            continue
        fields = _fields(text)
        if closed and _scope(fields) in closed and fields.get("type") in ("source", "claim"):
            rule = decide("SENSITIVE_SCOPE", "declare this scope sensitive too, then take it in")
            left.append(LeftOut(line=number, id="", rule=rule.rule, reason=rule.reason))
        elif fields.get("type") == "source" and _text(fields, "text"):
            yield _Item(number, _text(fields, "text"), False)
        elif fields.get("type") == "claim":
            words = _text(fields, "quote") or _text(fields, "gist")
            if words and fields.get("standing") in _CURRENT:
                yield _Item(number, words, True, fields.get("sensitive") is True)
            else:
                reason = decide("NOT_CURRENT")
                left.append(LeftOut(line=number, id="", rule=reason.rule, reason=reason.reason))


def _text(fields: dict[str, Any], name: str) -> str:
    found = fields.get(name)
    return found if isinstance(found, str) else ""
