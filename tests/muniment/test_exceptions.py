"""The exception tree is part of the interface: names, parents and kinds only ever grow."""

import inspect

import muniment
import muniment.claims
from muniment.claims import Decision, MunimentError, Verdict

TREE = {
    "MunimentError": ("Exception", "muniment"),
    "BusyError": ("MunimentError", "busy"),
    "ConflictError": ("MunimentError", "conflict"),
    "ErasedError": ("MunimentError", "erased"),
    "FormatError": ("MunimentError", "format"),
    "IntegrityError": ("MunimentError", "integrity"),
    "InvalidError": ("MunimentError, ValueError", "invalid"),
    "KeysError": ("MunimentError", "keys"),
    "NotFoundError": ("MunimentError, KeyError", "not_found"),
    "RefusedError": ("MunimentError, PermissionError", "refused"),
    "StorageError": ("MunimentError, OSError", "storage"),
}


def test_the_tree_is_pinned() -> None:
    found = {
        name: (", ".join(base.__name__ for base in error.__bases__), error.kind)
        for name, error in inspect.getmembers(muniment.claims, inspect.isclass)
        if issubclass(error, MunimentError)
    }

    assert found == TREE


def test_every_error_is_at_the_face() -> None:
    assert set(TREE) <= set(muniment.__all__)


def test_errors_carry_what_a_handler_needs() -> None:
    decision = Decision(verdict=Verdict.REFUSE, rule="NO_EVIDENCE", reason="nothing is named")

    assert muniment.RefusedError(decision).decision is decision
    assert str(muniment.RefusedError(decision)) == "NO_EVIDENCE: nothing is named"
    conflict = muniment.ConflictError("stale", current=7, difference=["a", "b"])
    assert (conflict.current, conflict.difference) == (7, ("a", "b"))
    assert str(muniment.NotFoundError("there is no 'x' here")) == "there is no 'x' here"
    damaged = muniment.IntegrityError("damaged", findings=["record 3"])
    assert damaged.findings == ("record 3",) and str(damaged) == "damaged; record 3"
    assert muniment.BusyError("in use", owner="12").owner == "12"
    assert muniment.ErasedError("gone", tombstone="t").tombstone == "t"
