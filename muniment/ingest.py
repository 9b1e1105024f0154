"""Ingest: JSON lines of messages, tool results, documents and claims; wrong lines are named, good ones kept."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sized
from datetime import datetime
from hashlib import sha256
from itertools import islice
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from muniment.claims import (
    SCOPE_FIELDS,
    Category,
    Clock,
    Failure,
    IntegrityError,
    InvalidError,
    Kind,
    MunimentError,
    NotFoundError,
    Reasoning,
    Scope,
    StorageError,
    Value,
    canonical_bytes,
    is_id,
)
from muniment.lineage import Progress, Store
from muniment.policy import MEMORIES, Policy

from .acting import Acting
from .keeping import document_of, keep_claim, keep_source, message_of, tool_result_of
from .remembering import Wish

_BATCH = 400


class _Line(Value):
    key: str = ""
    org: str = ""
    person: str = ""
    project: str = ""
    channel: str = ""
    agent: str = ""
    session: str = ""
    at: datetime | None = None


class PartLine(Value):
    """A part of a message line; `receipt` names the recall that a recalled part came from."""

    label: Literal["own", "quoted", "pasted", "attached", "recalled"]
    text: str
    origin: str = ""
    receipt: str = ""


class MessageLine(_Line):
    """A message of a person, or of an agent where `agent` is named."""

    type: Literal["message"]
    text: str = ""
    parts: tuple[PartLine, ...] = ()
    replaces: str = ""


class ToolResultLine(_Line):
    """What a tool returned."""

    type: Literal["tool_result"]
    tool: str
    fields: dict[str, str | int | bool] = {}
    text: str = ""


class DocumentLine(_Line):
    """A page, mail or file from outside."""

    type: Literal["document"]
    text: str
    origin: str
    media_type: str = "text/plain"
    asserted_source: str = ""
    replaces: str = ""


class ClaimLine(_Line):
    """A claim; `sources` are keys of earlier lines or identifiers."""

    type: Literal["claim"]
    text: str
    kind: Kind = Kind.INFERRED
    category: Category = Category.FACT
    gist: str = ""
    sources: tuple[str, ...] = ()
    field: str = ""
    subject: str = ""
    attribute: str = ""
    value: str = ""
    task: str = ""
    failure: Failure = Failure()
    reasoning: Reasoning = Reasoning()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    recheck_at: datetime | None = None
    recheck_when: str = ""
    parents_complete: bool = False


Line = Annotated[
    MessageLine | ToolResultLine | DocumentLine | ClaimLine, Field(discriminator="type")
]
_LINE: TypeAdapter[Line] = TypeAdapter(Line)


class LineError(Value):
    """What was wrong with one line."""

    line: int
    error: str
    message: str


class IngestReport(Value):
    """What became of the lines: taken in, there already, wrong."""

    accepted: int = 0
    unchanged: int = 0
    errors: tuple[LineError, ...] = ()
    kinds: dict[str, int] = {}


class _Ingest:
    """One run over one file."""

    def __init__(self, store: Store, policy: Policy, clock: Clock) -> None:
        self._store, self._policy, self._clock = store, policy, clock
        self._principals: dict[Scope, Acting] = {}
        self._known: dict[str, str] = {}
        self._repeats: Counter[bytes] = Counter()
        self.accepted = self.unchanged = 0
        self.errors: list[LineError] = []
        self.kinds: Counter[str] = Counter()

    def batch(self, lines: Iterable[tuple[int, str]]) -> None:
        """Take in a batch of numbered lines as one group."""
        with self._store.group() as store:
            for number, text in lines:
                if not text.strip():
                    continue
                before = store.state.seq
                try:
                    self.kinds[self._one(text)] += 1
                except (StorageError, IntegrityError):
                    raise
                except MunimentError as error:
                    self.errors.append(LineError(line=number, error=error.kind, message=str(error)))
                    continue
                if store.state.seq > before:
                    self.accepted += 1
                else:
                    self.unchanged += 1

    def _one(self, text: str) -> str:
        line = parse_line(text)
        key = f"ingest:{line.key or self._unnamed(line)}"
        acting = self._acting(line)
        named: tuple[str, ...] = ()
        if isinstance(line, ClaimLine):
            named = line.sources
        elif isinstance(line, MessageLine | DocumentLine) and line.replaces:
            named = (line.replaces,)
        for name in named:
            if name not in self._known and not is_id(name):
                raise NotFoundError(
                    f"source {name!r} is neither the key of an earlier good line nor an identifier"
                )
        made = _write(acting, line, key, [self._known.get(name, name) for name in named])
        if line.key:
            self._known[line.key] = self._store.state.names[made]
        return line.type

    def _unnamed(self, line: Line) -> str:
        """Return the key of a line that has none: what it says, and how often the file said it before."""
        content = json.dumps(line.model_dump(exclude_defaults=True), default=str).encode("ascii")
        self._repeats[content] += 1
        return sha256(canonical_bytes([self._repeats[content]]) + content).hexdigest()

    def _acting(self, line: Line) -> Acting:
        if not (line.person or line.agent):
            raise InvalidError(
                "the line names neither person nor agent; nothing is kept for nobody"
            )
        scope = Scope(**{field: getattr(line, field) for field in SCOPE_FIELDS})
        if scope not in self._principals:
            self._principals[scope] = Acting(self._store, self._policy, self._clock, scope)
        return self._principals[scope]


def _write(acting: Acting, line: Line, key: str, sources: list[str]) -> int:
    match line:
        case MessageLine():
            parts = [(part.label, part.text, _passed_on(part)) for part in line.parts]
            incoming = message_of(acting, line.text, parts, line.at, *sources)
            return keep_source(acting, incoming, key)
        case ToolResultLine():
            incoming = tool_result_of(acting, line.tool, line.fields, line.text, line.at)
            return keep_source(acting, incoming, key)
        case DocumentLine():
            incoming = document_of(
                line.text, line.origin, line.media_type, line.asserted_source, line.at, *sources
            )
            return keep_source(acting, incoming, key)
        case ClaimLine():
            if line.category not in MEMORIES:
                raise InvalidError(
                    f"a {line.category} is no claim to be remembered; keep it with `task` or `keep_procedure`"
                )
            left = {"type", "key", "at", "sources", "failure", "reasoning", *SCOPE_FIELDS}
            wish = Wish(
                **line.model_dump(exclude=left), failure=line.failure, reasoning=line.reasoning
            )
            return keep_claim(acting, wish.checked(), sources, key)[0]


def _passed_on(part: PartLine) -> str:
    """Return where a part comes from: its origin, or of what was recalled the receipt."""
    recalled = part.label == "recalled"
    if part.origin if recalled else part.receipt:
        raise InvalidError("a recalled part has a receipt, any other an origin")
    return part.receipt if recalled else part.origin


def parse_line(text: str) -> Line:
    """Return what one line says, or raise InvalidError naming the field that is wrong."""
    try:
        given = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise InvalidError(f"no JSON at column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise InvalidError("the JSON is nested too deeply") from None
    try:
        return _LINE.validate_python(given)
    except ValidationError as error:
        found = "; ".join(
            f"{'.'.join(str(step) for step in item['loc'][1:]) or 'line'}: {item['msg']}"
            for item in error.errors()[:3]
        )
        raise InvalidError(found) from None


def ingest(
    store: Store,
    policy: Policy,
    clock: Clock,
    lines: Iterable[str],
    progress: Progress | None = None,
) -> IngestReport:
    """Return what became of the lines; each batch is durable before the next, a line sent before changes nothing."""
    if isinstance(lines, str | bytes):
        raise InvalidError("lines are a file or a list of lines; write text.splitlines()")
    run = _Ingest(store, policy, clock)
    numbered: Iterator[tuple[int, str]] = iter(enumerate(lines, 1))
    done, whole = 0, len(lines) if isinstance(lines, Sized) else 0
    while batch := list(islice(numbered, _BATCH)):
        run.batch(batch)
        done += len(batch)
        if progress:
            progress(done, whole)
    return IngestReport(
        accepted=run.accepted,
        unchanged=run.unchanged,
        errors=tuple(run.errors),
        kinds=dict(run.kinds),
    )
