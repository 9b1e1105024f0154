"""The exception tree: grouped by what a handler does, each with a stable `kind`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from .decision import Decision


class MunimentError(Exception):
    """Anything this package refuses or cannot do; the message says the way out."""

    kind: ClassVar[str] = "muniment"


class ConflictError(MunimentError):
    """Somebody else changed it first; `current` is what stands now and `difference` what changed."""

    kind: ClassVar[str] = "conflict"

    def __init__(
        self, message: str, *, current: object = None, difference: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.current = current
        self.difference = tuple(difference)


class NotFoundError(MunimentError, KeyError):
    """There is no such thing here, or it may not be known to the asker: both read alike."""

    kind: ClassVar[str] = "not_found"

    def __str__(self) -> str:  # KeyError would show the message as a quoted key
        return str(self.args[0]) if self.args else ""


class RefusedError(MunimentError, PermissionError):
    """Policy said no; `decision` names the rule and the reason."""

    kind: ClassVar[str] = "refused"

    def __init__(self, decision: "Decision") -> None:
        super().__init__(f"{decision.rule}: {decision.reason}")
        self.decision = decision


class InvalidError(MunimentError, ValueError):
    """The input itself is wrong; nothing was written."""

    kind: ClassVar[str] = "invalid"


class IntegrityError(MunimentError):
    """The store's files contradict each other; `findings` name what and where."""

    kind: ClassVar[str] = "integrity"

    def __init__(self, message: str, *, findings: Sequence[str] = ()) -> None:
        super().__init__("; ".join((message, *findings)))
        self.findings = tuple(findings)


class ErasedError(MunimentError):
    """It was erased; a tombstone without content is all that is left."""

    kind: ClassVar[str] = "erased"

    def __init__(self, message: str, *, tombstone: str = "") -> None:
        super().__init__(message)
        self.tombstone = tombstone


class KeysError(MunimentError):
    """The key of these words was never destroyed and is not here either; the message says where it may come from."""

    kind: ClassVar[str] = "keys"


class BusyError(MunimentError):
    """Another process owns the store; `owner` says which."""

    kind: ClassVar[str] = "busy"

    def __init__(self, message: str, *, owner: str = "") -> None:
        super().__init__(message)
        self.owner = owner


class FormatError(MunimentError):
    """Not a store, or one of a format that this version does not read."""

    kind: ClassVar[str] = "format"


class StorageError(MunimentError, OSError):
    """The disk refused a write; what was acknowledged before stands, the rest was taken back."""

    kind: ClassVar[str] = "storage"


UNREADABLE = (ErasedError, KeysError)
"""What words that cannot be opened raise: their key was destroyed, or is not here."""
