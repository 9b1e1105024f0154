"""Exit codes: one table from the exception tree to what a shell sees."""

from muniment import Soundness
from muniment.claims import (
    BusyError,
    ConflictError,
    ErasedError,
    FormatError,
    IntegrityError,
    InvalidError,
    KeysError,
    MunimentError,
    NotFoundError,
    RefusedError,
    StorageError,
)

OK = 0
PARTLY = 1
USAGE = 2
INTERNAL = 70
INTERRUPTED = 130
PIPE_CLOSED = 141

# The first row that fits decides, so the root of the tree comes last.
EXITS: tuple[tuple[type[MunimentError], int], ...] = (
    (InvalidError, USAGE),
    (NotFoundError, 3),
    (RefusedError, 4),
    (ConflictError, 5),
    (BusyError, 6),
    (IntegrityError, 7),
    (FormatError, 8),
    (StorageError, 9),
    (ErasedError, 10),
    (KeysError, 14),
    (MunimentError, INTERNAL),
)

# How a verified store stands, for `verify` and for the stand-alone verifier of a bundle.
STANDS: dict[Soundness, int] = {
    Soundness.OK: OK,
    Soundness.INVALID: 11,
    Soundness.TRUNCATED: 12,
    Soundness.DIVERGED: 13,
    Soundness.INCOMPLETE: 14,
}


def exit_code(error: MunimentError) -> int:
    """Return the exit code of an error of this package."""
    return next(code for sort, code in EXITS if isinstance(error, sort))
