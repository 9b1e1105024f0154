"""What the store gives back: sources, claims and what they rest on."""

from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer

from .decision import Decision
from .details import Failure, Reasoning
from .scope import Scope, ScopeField
from .value import Value
from .vocabulary import (
    Access,
    Asking,
    Authority,
    Category,
    EchoSort,
    Integrity,
    Kind,
    LoginCheck,
    Medium,
    MutedBy,
    Muting,
    PartLabel,
    Pausing,
    Sensitivity,
    Standing,
)

NamedIntegrity = Annotated[
    Integrity,
    BeforeValidator(lambda level: Integrity[level] if isinstance(level, str) else level),
    PlainSerializer(lambda level: level.name, return_type=str, when_used="json"),
]
NamedAuthority = Annotated[
    Authority,
    BeforeValidator(lambda level: Authority[level] if isinstance(level, str) else level),
    PlainSerializer(lambda level: level.name, return_type=str, when_used="json"),
]

CLAIM_LIMIT = 4_000
SOURCE_LIMIT = 16 * 1024 * 1024
SAID = ("quote", "gist", "subject", "attribute", "value")
"""What of the words of a claim is searched: what it says, and its slot."""


class Part(Value):
    """A stretch of a source, in code points of its raw text, with where its words came from."""

    start: int
    end: int
    label: PartLabel
    integrity: NamedIntegrity
    origin: str = ""
    media_type: str = "text/plain"


class Echo(Value):
    """A stretch of a source that says again what had been given out: `of` is that claim or source, `given_at` when."""

    of: str
    sort: EchoSort
    start: int
    end: int
    given_at: datetime | None = None


class Source(Value):
    """Something that came in by a channel: a message, a tool result, a document; `replaced_by` is its next version."""

    id: str
    medium: Medium
    author: str
    origin: str = ""
    scope: Scope
    conversation: str = ""
    text: str
    parts: tuple[Part, ...]
    integrity: NamedIntegrity
    asserted_source: str = ""
    replaces: str = ""
    replaced_by: str = ""
    echoes: tuple[Echo, ...] = ()
    said_at: datetime | None = None
    recorded_at: datetime
    on_legal_hold: bool = False


class SourceDifference(Value):
    """What a new version of a source changed, as lines of a unified diff; none where the words are the same."""

    old: str
    new: str
    lines: tuple[str, ...]


class Citation(Value):
    """One thing a claim rests on: a span of a source with its words, or another claim."""

    id: str
    medium: Medium | None = None
    author: str = ""
    origin: str = ""
    integrity: NamedIntegrity
    start: int = 0
    end: int = 0
    quote: str = ""
    said_at: datetime | None = None
    recorded_at: datetime


class Claim(Value):
    """One remembered thing: what it says, how it was made, what it rests on, where and when it applies.

    `quoted_at` is when its person, asked to approve or endorse it, kept it as a quotation.
    `login` tells of an account whether its service confirmed it: by which result, and which login that names instead.
    `registered` identifies the corpus whose words it takes over.
    `task` is the kind of task a preference is for, `failure` and `reasoning` are its writer's wording as the gist is.
    `hints`, in the answer to a write only, are what is worth knowing of what was kept.
    """

    id: str
    version: int
    kind: Kind
    asked_kind: Kind
    category: Category
    quote: str = ""
    gist: str = ""
    subject: str = ""
    attribute: str = ""
    value: str = ""
    task: str = ""
    failure: Failure = Failure()
    reasoning: Reasoning = Reasoning()
    citations: tuple[Citation, ...]
    scope: Scope
    integrity: NamedIntegrity
    authority: NamedAuthority
    origins: tuple[str, ...] = ()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    zone: str = ""
    expires_at: datetime | None = None
    recheck_at: datetime | None = None
    recheck_when: str = ""
    confirmed_at: datetime | None = None
    confirmed_by: tuple[str, ...] = ()
    quoted_at: datetime | None = None
    supersedes: tuple[str, ...] = ()
    corrects: tuple[str, ...] = ()
    challenges: tuple[str, ...] = ()
    replaced_by: str = ""
    seen_count: int = 1
    standing: Standing
    muted: tuple[MutedBy, ...] = ()
    decision: Decision
    hints: tuple[Decision, ...] = ()
    recorded_at: datetime
    login: LoginCheck | None = None
    login_by: str = ""
    login_found: str = ""
    registered: str = ""
    on_legal_hold: bool = False
    sensitive: bool = False

    @property
    def words(self) -> str:
        """The author's own words where there are any, otherwise the model's."""
        return self.quote or self.gist


class AsOf(Value):
    """A moment on both axes: what was recorded by then, and what was valid at that time; None means now."""

    recorded: datetime | None = None
    valid: datetime | None = None


class AccessChange(Value):
    """Access to a source after it was revoked or given back: how many claims that blocked, and how many it restored."""

    source: str
    access: Access
    blocked: int = 0
    restored: int = 0


class Hold(Value):
    """A legal hold: the identifier of a claim, a source or a person that may not be destroyed while it is in force."""

    id: str
    target: str
    reason: str = ""
    held_at: datetime
    released: bool = False


class PauseChange(Value):
    """Memory after it was paused or resumed: which scopes changed, and what is paused here now, by narrowest name."""

    pausing: Pausing
    scopes: tuple[Scope, ...] = ()
    paused: tuple[ScopeField, ...] = ()


class SensitiveChange(Value):
    """A scope or a claim after it was declared sensitive or ordinary again; `agents` may act for the owner there."""

    sensitivity: Sensitivity
    scope: Scope
    claim: str = ""
    agents: tuple[str, ...] = ()
    by: str = ""
    changed: bool = True


class Mute(Value):
    """A claim or a theme that is muted, or was let in again: neither is lost, and neither is brought up while muted."""

    id: str
    muting: Muting
    claim: str = ""
    theme: str = ""
    by: str
    at: datetime


class ForgetRequest(Value):
    """A request to forget a claim, muted until its person has it erased or declines; `words` are for her alone."""

    id: str
    asking: Asking
    claim: str
    words: str = ""
    reason: str = ""
    by: str
    at: datetime


class Change(Value):
    """One entry of a claim's history: who did what to it, when and why, in words and by a code."""

    verb: str
    by: str
    version: int
    standing: str
    reason: str = ""
    code: str = ""
    other: str = ""
    lost: int = 0
    rescued: int = 0
    decision: Decision
    recorded_at: datetime
