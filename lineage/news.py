"""What brings news: a document that says again what it said before a withdrawal does not, nor what is drawn from it."""

from muniment.claims import ErasedError, Medium, canonical_text

from .independence import whole_text
from .state import SourceState
from .store import Store
from .views import part_text


class News:
    """What is new since a record, as far as certain words go."""

    def __init__(self, store: Store, since: int, words: str) -> None:
        self._store, self._since = store, since
        self._words = canonical_text(words)
        self._seen: set[int] = set()

    def brought_by(self, node: int) -> bool:
        """Return whether a source, or anything a claim rests on, came in since and is no copy of what was there."""
        waiting = [node]
        while waiting:
            seq = waiting.pop()
            if seq <= self._since or seq in self._seen:
                continue
            self._seen.add(seq)
            claim = self._store.state.claims.get(seq)
            if claim is not None:
                waiting += [ground for grounds in claim.justifications for ground in grounds]
                continue
            before = self._repeated(seq)
            if not before:
                return True
            waiting.append(before)
        return False

    def _repeated(self, seq: int) -> int:
        """Return the earlier document that a document repeats, 0 for none: its own version before, or an equal one."""
        source = self._store.state.sources.get(seq)
        if source is None or source.medium is not Medium.DOCUMENT:
            return 0
        earlier = [
            one
            for one in self._store.state.sources.values()
            if one.seq < seq and one.scope == source.scope and one.medium is Medium.DOCUMENT
        ]
        versions = [one for one in earlier if one.origin == source.origin != 0]
        if versions:
            last = max(versions, key=lambda one: one.seq)
            return last.seq if self._equal(last, source) or self._holds(last) else 0
        return max((one.seq for one in earlier if self._equal(one, source)), default=0)

    def _equal(self, one: SourceState, other: SourceState) -> bool:
        words = whole_text(self._store, one.seq)
        return words != "" and words == whole_text(self._store, other.seq)

    def _holds(self, source: SourceState) -> bool:
        """Return whether the words stand in a document."""
        try:
            text = canonical_text(part_text(self._store, source.seq))
        except ErasedError:
            return False
        return f" {self._words} " in f" {text} "
