"""The content-free headers of the journal, one shape per operation.

Words, names and digests of words never stand here: names are identifiers of entities, words are
sealed beside the header.
Times are integer microseconds since 1970 UTC. `v` is the version of the record's own shape.
"""

from typing import Annotated, Literal, get_args

from pydantic import Field, TypeAdapter, ValidationError

from .canonical import canonical_bytes
from .value import Value
from .vocabulary import (
    Access,
    Account,
    Asking,
    Basis,
    BlockVerb,
    Category,
    EchoSort,
    ErasureSort,
    Integrity,
    Kind,
    Kinship,
    Lifecycle,
    Medium,
    Muting,
    PartLabel,
    Pausing,
    Purpose,
    Relation,
    Sensitivity,
    TombstoneSort,
    Use,
    Verb,
    Verdict,
    Vouching,
    Witness,
)

EntityType = Literal["person", "agent", "tool", "origin", "org", "project", "channel", "session"]


class Seal(Value):
    """Where the key of a sealed payload lies and the salted commitment to what it holds."""

    slot: int
    commitment: str


class Stamp(Value):
    """A decision as the journal keeps it: without its words, bound to the policy in force."""

    verdict: Verdict
    rule: str
    policy: str


class SetStamp(Value):
    """A set of claims by its size and the digest of its sorted identifiers."""

    count: int = 0
    digest: str = ""


class SpanRef(Value):
    """A stretch of a source in code points of its raw text."""

    source: str
    start: int
    end: int


class PartRef(Value):
    """A part of a source; `seal` is the place of its payload among the record's."""

    start: int
    end: int
    label: PartLabel
    integrity: Integrity
    origin: str = ""
    media_type: str = "text/plain"
    seal: int


class EchoRef(Value):
    """A claim or source whose words were given out and come in again; in a source at a stretch of code points."""

    of: str
    sort: EchoSort = EchoSort.ECHO
    start: int = 0
    end: int = 0


class Named(Value):
    """A relation to another claim."""

    relation: Relation
    claim: str


class Record(Value):
    """What every header has; `mac` shows that it was written with the tenant's key, empty in a store begun before."""

    v: Literal[1] = 1
    id: str
    seq: int
    at: int
    nudged: bool = False
    by: str = ""
    behalf: str = ""
    key: str = ""
    seals: tuple[Seal, ...] = ()
    mac: str = ""


class EntityRecord(Record):
    """A person, agent, tool, origin or scope name gets an opaque identifier; its name is sealed."""

    op: Literal["entity"] = "entity"
    type: EntityType


class ScopeRecord(Record):
    """A combination of scope fields gets an identifier."""

    op: Literal["scope"] = "scope"
    org: str = ""
    person: str = ""
    project: str = ""
    channel: str = ""
    agent: str = ""
    session: str = ""


class PolicyRecord(Record):
    """A policy came into force; its text is sealed."""

    op: Literal["policy"] = "policy"
    digest: str


class SourceRecord(Record):
    """A source came in by a channel."""

    op: Literal["source"] = "source"
    medium: Medium
    origin: str = ""
    scope: str
    session: str = ""
    parts: tuple[PartRef, ...]
    said_at: int | None = None
    replaces: str = ""
    echo_of: tuple[EchoRef, ...] = ()
    anew: bool = False
    lost: SetStamp = SetStamp()
    rescued: SetStamp = SetStamp()
    decision: Stamp


class Assertion(Record):
    """One justification of a claim: an AND-set of antecedents made by one activity, with its own rendering."""

    antecedents: tuple[str, ...]
    spans: tuple[SpanRef, ...] = ()
    activity: str = "remember"
    asked: Kind
    mark: Integrity
    parents_complete: bool = False
    origins: tuple[str, ...] = ()
    echo_of: tuple[EchoRef, ...] = ()
    anew: bool = False
    decision: Stamp


class ClaimRecord(Assertion):
    """A new claim with its first justification."""

    op: Literal["claim"] = "claim"
    kind: Kind
    category: Category
    integrity: Integrity
    scope: str
    readers: tuple[str, ...]
    lifecycle: Lifecycle = Lifecycle.ASSERTED
    valid_from: int | None = None
    valid_to: int | None = None
    expires: int | None = None
    recheck: int | None = None
    relations: tuple[Named, ...] = ()


class AssertRecord(Assertion):
    """A claim that exists was asserted once more."""

    op: Literal["assert"] = "assert"
    claim: str


class ChangeRecord(Record):
    """A claim's lifecycle or times changed; `previous` is the head its writer saw, `reason` a code of ReasonCode."""

    op: Literal["change"] = "change"
    verb: Verb
    claim: str
    previous: str
    lifecycle: Lifecycle
    other: str = ""
    antecedents: tuple[str, ...] = ()
    reason: str = ""
    valid_to: int | None = None
    expires: int | None = None
    recheck: int | None = None
    lost: SetStamp = SetStamp()
    rescued: SetStamp = SetStamp()
    decision: Stamp


class AccessRecord(Record):
    """Access to a source was revoked or given back."""

    op: Literal["access"] = "access"
    source: str
    access: Access
    lost: SetStamp = SetStamp()
    rescued: SetStamp = SetStamp()
    decision: Stamp


class ReceiptRecord(Record):
    """A recall gave these claims, in these versions and for these uses; the question and the scores are sealed.

    It was drawn from the records up to `known` and judged at `moment`. With no scope it names nobody: somebody of whom
    nothing is kept asked, and got nothing.
    """

    op: Literal["receipt"] = "receipt"
    purpose: Purpose
    scope: str = ""
    claims: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    uses: tuple[Use, ...] = ()
    known: int = 0
    moment: int | None = None
    withheld: int = 0
    decision: Stamp


class RefusalRecord(Record):
    """Something was refused; what it said is not kept."""

    op: Literal["refusal"] = "refusal"
    verb: str
    decision: Stamp


class SlotRun(Value):
    """Key slots that follow each other."""

    first: int
    count: int


class ErasedRendering(Value):
    """A rendering that was destroyed of a claim that survives by another."""

    claim: str
    rendering: str


class Tombstone(Value):
    """What must not come back: a digest under the tenant's own key, and the scope it was erased in."""

    sort: TombstoneSort
    digest: str
    scope: str


class EraseRecord(Record):
    """Words were destroyed; the slots named here hold no key any more, or lose it at the next opening.

    `renderings` are those of claims that survive; of `claims` every rendering went; `lines` counts those of blocks.
    """

    op: Literal["erase"] = "erase"
    sort: ErasureSort
    targets: tuple[str, ...]
    basis: Basis
    scope: str = ""
    sources: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    renderings: tuple[ErasedRendering, ...] = ()
    names: tuple[str, ...] = ()
    receipts: int = 0
    lines: int = 0
    slots: tuple[SlotRun, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()
    lost: SetStamp = SetStamp()
    rescued: SetStamp = SetStamp()
    decision: Stamp


class BlockLineRef(Value):
    """A line of a block: the record, empty for this one, and the payload that hold its words; -1 is a blank line.

    `grounds` are the sources and claims that its writer named, where it is the words of none of them.
    """

    record: str = ""
    seal: int = -1
    integrity: Integrity
    author: str = ""
    source: str = ""
    claim: str = ""
    grounds: tuple[str, ...] = ()


class BlockRecord(Record):
    """A person's always-on block was written; `held` waits for the person, `settles` names a write that waited."""

    op: Literal["block"] = "block"
    scope: str
    verb: BlockVerb
    lines: tuple[BlockLineRef, ...] = ()
    held: bool = False
    settles: str = ""
    anew: bool = False
    decision: Stamp


class SecretRecord(Record):
    """A person set the secret by which she proves that it is she; what checks it is sealed."""

    op: Literal["secret"] = "secret"
    person: str
    decision: Stamp


class HoldRecord(Record):
    """Something may not be destroyed any more, or may be again: then `releases` is the record that held it."""

    op: Literal["hold"] = "hold"
    target: str
    releases: str = ""
    decision: Stamp


class RestoreRecord(Record):
    """The store was restored from a backup of `records` records and is written on from there.

    `newest` is the head that was known then, 0 for none, and `witness` what knew it; `erasures` and `accesses` are the
    records before this one in which what was done after the backup is done again.
    """

    op: Literal["restore"] = "restore"
    records: int
    root: str
    newest: int = 0
    newest_root: str = ""
    witness: Witness = Witness.NOTHING
    erasures: int = 0
    accesses: int = 0
    decision: Stamp


class SameOriginRecord(Record):
    """Two origins were declared to be one, or a declaration of that was taken back; the reason is sealed."""

    op: Literal["same_origin"] = "same_origin"
    origins: tuple[str, str]
    kinship: Kinship
    decision: Stamp


class DiscloseRecord(Record):
    """Claims and sources were given out for the first time, by another way than a recall, whose receipt says so."""

    op: Literal["disclose"] = "disclose"
    verb: str
    scope: str
    things: tuple[str, ...]
    decision: Stamp


class PauseRecord(Record):
    """Memory was paused or resumed in every session that may read this scope."""

    op: Literal["pause"] = "pause"
    scope: str
    pausing: Pausing
    decision: Stamp


class MuteRecord(Record):
    """A claim was muted or let in again, or a theme, whose words are sealed; `theme` names the record that muted it."""

    op: Literal["mute"] = "mute"
    scope: str
    claim: str = ""
    theme: str = ""
    muting: Muting
    decision: Stamp


class ForgetRecord(Record):
    """Somebody asked to forget a claim, or its person declined to; why is sealed."""

    op: Literal["forget"] = "forget"
    claim: str
    asking: Asking
    decision: Stamp


class AccountRecord(Record):
    """The host said in which state a person's account is."""

    op: Literal["account"] = "account"
    person: str
    account: Account
    decision: Stamp


class SensitiveRecord(Record):
    """A scope, or a claim in it, was declared sensitive or ordinary again; a sensitive scope's key is that of its seal.

    `agents` may act for the owner of a sensitive scope there: identifiers, or "*" for whichever the host names.
    """

    op: Literal["sensitive"] = "sensitive"
    scope: str
    claim: str = ""
    sensitivity: Sensitivity
    agents: tuple[str, ...] = ()
    decision: Stamp


class RetentionCount(Value):
    """How many things one rule of retention, by its name in the policy, had destroyed or was over for and kept."""

    rule: str
    destroyed: int = 0
    kept: int = 0


class RetentionRecord(Record):
    """A run of retention ended: judged at `moment`, for a person's own or for everybody's; its erasures come before."""

    op: Literal["retention"] = "retention"
    moment: int
    person: str = ""
    erasures: tuple[str, ...] = ()
    counts: tuple[RetentionCount, ...] = ()
    decision: Stamp


class CorpusRecord(Record):
    """An operator vouches for files, by what they hold to the byte, or no more; names and digests are sealed.

    `corpus` names the record that registered it, and is empty in that.
    """

    op: Literal["corpus"] = "corpus"
    corpus: str = ""
    vouching: Vouching
    decision: Stamp


class AttachRecord(Record):
    """What was made of a recall was attached to its receipt: answer, model, parameters and trace id, which are sealed.

    `trace` is the digest of the trace id under the tenant's own key; `mark` is what the answer is worth.
    """

    op: Literal["attach"] = "attach"
    receipt: str
    trace: str = ""
    mark: Integrity
    decision: Stamp


Header = Annotated[
    EntityRecord
    | ScopeRecord
    | PolicyRecord
    | SourceRecord
    | ClaimRecord
    | AssertRecord
    | ChangeRecord
    | AccessRecord
    | ReceiptRecord
    | RefusalRecord
    | EraseRecord
    | BlockRecord
    | SecretRecord
    | HoldRecord
    | RestoreRecord
    | SameOriginRecord
    | DiscloseRecord
    | PauseRecord
    | MuteRecord
    | ForgetRecord
    | AccountRecord
    | SensitiveRecord
    | RetentionRecord
    | CorpusRecord
    | AttachRecord,
    Field(discriminator="op"),
]
_HEADER: TypeAdapter[Header] = TypeAdapter(Header)

OPERATIONS: frozenset[str] = frozenset(
    shape.model_fields["op"].default for shape in get_args(get_args(Header)[0])
)
"""The operations that this version knows."""

# What a later version adds, and a reader of today cannot take for anything it knows.
_ADDED = frozenset(("enum", "extra_forbidden", "literal_error", "union_tag_invalid"))


def header_bytes(header: Header) -> bytes:
    """Return the RFC 8785 bytes of a header; fields at their default are left out."""
    return canonical_bytes(
        {"v": header.v, "op": header.op, **header.model_dump(mode="json", exclude_defaults=True)}
    )


def header_from(raw: bytes) -> Header:
    """Return the header that the bytes hold; anything else raises pydantic's ValidationError."""
    return _HEADER.validate_json(raw)


def is_newer(raw: bytes) -> bool:
    """Return whether bytes that are no header to this version are one with something a newer version added."""
    try:
        _HEADER.validate_json(raw)
    except ValidationError as error:
        return {found["type"] for found in error.errors(include_url=False)} <= _ADDED
    return False
