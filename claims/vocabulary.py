"""The closed word lists: kinds, categories, levels, purposes, standings."""

from enum import IntEnum, StrEnum


class Kind(StrEnum):
    """How a claim was made."""

    STATED = "stated"
    OBSERVED = "observed"
    INFERRED = "inferred"
    EXTERNAL = "external"


class Category(StrEnum):
    """What a claim is about; each has its own rules; tasks and procedures live apart from memory."""

    PREFERENCE = "preference"
    CONSTRAINT = "constraint"
    DECISION = "decision"
    FACT = "fact"
    FAILURE = "failure"
    ACCOUNT = "account"
    CONTACT = "contact"
    DEFINITION = "definition"
    THEME = "theme"
    TASK = "task"
    PROCEDURE = "procedure"


class Integrity(IntEnum):
    """Where words came from, lowest first; combining takes the minimum."""

    EXTERNAL = 0
    AGENT = 1
    TOOL = 2
    USER = 3
    OPERATOR = 4

    def __str__(self) -> str:
        """Return the name, which is what documents and screens write."""
        return self.name


class Authority(IntEnum):
    """What a claim may do, least first; computed, never set by hand."""

    NONE = 0
    INFORM = 1
    PREFER = 2
    DIRECT = 3
    AUTHORIZE = 4

    def __str__(self) -> str:
        """Return the name, which is what documents and screens write."""
        return self.name


class Purpose(StrEnum):
    """What a recall is for."""

    ANSWER = "answer"
    PERSONALISE = "personalise"
    ACT = "act"
    INSTRUCT = "instruct"


class Use(StrEnum):
    """How one piece of evidence may be used."""

    DIRECTIVE = "directive"
    APPLICABLE = "applicable"
    BACKGROUND = "background"
    TENTATIVE = "tentative"


class Verdict(StrEnum):
    """What policy decided."""

    ALLOW = "allow"
    LOWER = "lower"
    HOLD = "hold"
    CHALLENGE = "challenge"
    REFUSE = "refuse"


class Lifecycle(StrEnum):
    """What journal records made of a claim."""

    PENDING = "pending"
    ASSERTED = "asserted"
    SUPERSEDED = "superseded"
    CORRECTED = "corrected"
    RETRACTED = "retracted"
    REJECTED = "rejected"
    ERASED = "erased"


class Standing(StrEnum):
    """The one word a claim is shown with, first that fits."""

    ERASED = "erased"
    RESTRICTED = "restricted"
    PENDING = "pending"
    REJECTED = "rejected"
    RETRACTED = "retracted"
    CORRECTED = "corrected"
    SUPERSEDED = "superseded"
    STALE = "stale"
    EXPIRED = "expired"
    CONTESTED = "contested"
    ACTIVE = "active"


class Medium(StrEnum):
    """The channel a source came in by."""

    MESSAGE = "message"
    TOOL_RESULT = "tool_result"
    DOCUMENT = "document"
    ENDORSEMENT = "endorsement"


class PartLabel(StrEnum):
    """What a part of a message is, as the host saw it."""

    OWN = "own"
    QUOTED = "quoted"
    PASTED = "pasted"
    ATTACHED = "attached"
    FIELD = "field"
    TEXT = "text"
    RECALLED = "recalled"


class EchoSort(StrEnum):
    """How much of what was given out words that came in repeat: most of it, or so much that it may be a repetition."""

    ECHO = "echo"
    POSSIBLE = "possible"


class Access(StrEnum):
    """Whether a source may be drawn on."""

    REVOKED = "revoked"
    GIVEN = "given"


class Kinship(StrEnum):
    """Whether two origins count as one."""

    SAME = "same"
    APART = "apart"


class Vouching(StrEnum):
    """What an operator did with a corpus: vouched for its files, brought that up to date, or took it back."""

    REGISTERED = "registered"
    RENEWED = "renewed"
    REVOKED = "revoked"


class LoginCheck(StrEnum):
    """How an account stands: said only, confirmed by its service, or the service names another."""

    UNVERIFIED = "unverified"
    CONFIRMED = "confirmed"
    MISMATCH = "mismatch"


class WeighedBy(StrEnum):
    """By what the values of a slot are ranked: how many independent origins give each, or how likely each is right."""

    COUNT = "count"
    ACCURACY = "accuracy"


class Relation(StrEnum):
    """How one claim bears on another."""

    SUPERSEDES = "supersedes"
    CORRECTS = "corrects"
    CHALLENGES = "challenges"
    ENDORSES = "endorses"


class Verb(StrEnum):
    """What changes the lifecycle or the times of a claim that exists."""

    CONFIRM = "confirm"
    CORRECT = "correct"
    SUPERSEDE = "supersede"
    RETRACT = "retract"
    REINSTATE = "reinstate"
    CHALLENGE = "challenge"
    APPROVE = "approve"
    REJECT = "reject"
    DECLINE = "decline"
    MUTE = "mute"


class Basis(StrEnum):
    """On what ground something is erased; a code, because it stands in the clear."""

    REQUEST = "request"
    CONSENT = "consent"
    PURPOSE = "purpose"
    OBJECTION = "objection"
    UNLAWFUL = "unlawful"
    DUTY = "duty"


class ReasonCode(StrEnum):
    """Why a claim was changed; a code, because it stands in the clear."""

    MISTAKEN = "mistaken"
    MISREAD = "misread"
    MISATTRIBUTED = "misattributed"
    OUTDATED = "outdated"
    UNSOURCED = "unsourced"
    DUPLICATE = "duplicate"
    UNWANTED = "unwanted"
    CHECKED = "checked"


class Witness(StrEnum):
    """What a restore knew the newest head by."""

    STORE = "store"
    MIRROR = "mirror"
    ANCHOR = "anchor"
    NOTHING = "nothing"


class ErasureSort(StrEnum):
    """What was asked to be erased."""

    CLAIM = "claim"
    SOURCE = "source"
    CONVERSATION = "conversation"
    PERSON = "person"
    BLOCK = "block"
    REQUEST = "request"
    SCOPE = "scope"
    RETENTION = "retention"


class BlockVerb(StrEnum):
    """How a write of the always-on block came about."""

    REWRITE = "rewrite"
    ACCEPT = "accept"
    PUT_BACK = "put back"


class TombstoneSort(StrEnum):
    """What a tombstone remembers by its keyed digest."""

    ORIGINAL = "original"
    TEXT = "text"
    CLAIM = "claim"
    MARK = "mark"


class Right(StrEnum):
    """What a session asks leave for: to add to the memory, to bring it into a prompt, to see, export and delete."""

    ACCUMULATE = "accumulate"
    PROMPT = "prompt"
    MANAGE = "manage"


class Role(StrEnum):
    """What somebody is to a store: whose memory it is, or a duty that its store.toml gives."""

    PERSON = "person"
    APPROVER = "approver"
    OPERATOR = "operator"
    AUDITOR = "auditor"
    CUSTODIAN = "custodian"
    HOST = "host"


class Account(StrEnum):
    """In which state a person's account is, as the host says."""

    ACTIVE = "active"
    PAUSED = "paused"
    FREE = "free"
    LAPSED = "lapsed"
    CLOSED = "closed"


class Extent(StrEnum):
    """How far a person's pause reaches: all her memory, one project's, one conversation's."""

    PERSON = "person"
    PROJECT = "project"
    SESSION = "session"


class Pausing(StrEnum):
    """Whether memory was paused or resumed."""

    PAUSED = "paused"
    RESUMED = "resumed"


class Muting(StrEnum):
    """Whether a claim or a theme was muted or let in again."""

    MUTED = "muted"
    UNMUTED = "unmuted"


class Sensitivity(StrEnum):
    """Whether a scope or a claim was declared sensitive, or ordinary again."""

    SENSITIVE = "sensitive"
    ORDINARY = "ordinary"


class MutedBy(StrEnum):
    """What mutes a claim: it was muted itself, a theme, all it rests on, or a request to forget it that waits."""

    ITSELF = "itself"
    THEME = "theme"
    GROUND = "ground"
    REQUEST = "request"


class Layer(StrEnum):
    """What a rule of retention is about; `ended` are claims that do not stand any more, `receipt` a reader's day."""

    MESSAGE = "message"
    DOCUMENT = "document"
    TOOL_RESULT = "tool_result"
    CLAIM = "claim"
    ENDED = "ended"
    BLOCK = "block"
    RECEIPT = "receipt"


class Asking(StrEnum):
    """Whether somebody asked to forget a claim, or its person declined to."""

    ASKED = "asked"
    DECLINED = "declined"
