"""The index follows what is durable, also while another thread takes a group back."""

import threading
from typing import Any

import pytest

from muniment import Memory
from muniment.indexing import catch_up


class _Index:
    """An index that says when it is asked how far it is."""

    def __init__(self, applied: int, mark: str) -> None:
        self._applied, self.asked, self.mark = applied, threading.Event(), mark

    @property
    def applied(self) -> int:
        self.asked.set()
        return self._applied

    def add(self, _entries: object, *, applied: int, mark: str) -> None:
        self._applied, self.mark = applied, mark


def test_a_group_taken_back_is_not_followed(memory: Memory) -> None:
    memory.session(person="kim").message("hello")
    store = memory.store
    index: Any = _Index(store.state.seq, store.state.names[store.state.seq])
    faults: list[BaseException] = []

    def follow() -> None:
        try:
            catch_up(store, index)
        except BaseException as error:
            faults.append(error)

    thread = threading.Thread(target=follow)
    with pytest.raises(RuntimeError, match="taken back"), store.group():
        store.names.register("person", "park")
        thread.start()
        index.asked.wait(0.3)
        raise RuntimeError("taken back")
    thread.join()

    assert faults == [] and index.applied == store.state.seq
