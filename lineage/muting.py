"""Which claims are muted for a reader: by themselves, by a theme, by a request that waits, by all they rest on."""

from typing import NamedTuple

from muniment.claims import ErasedError, MutedBy, canonical_text
from muniment.policy import speaks_of

from .state import ClaimState
from .store import Store


def muted_by(store: Store, claim: ClaimState, readable: frozenset[int]) -> tuple[MutedBy, ...]:
    """Return what mutes a claim for somebody who reads these scopes, empty where nothing does.

    A claim is muted by its ground when nothing is left to rest it on but what is muted itself.
    """
    held = store.state.restraint
    if not (held.muted or held.requests or held.themes):
        return ()
    themes = themes_of(store, readable)
    found = [
        *([MutedBy.ITSELF] if claim.seq in held.muted else []),
        *([MutedBy.REQUEST] if claim.seq in held.requests else []),
        *([MutedBy.THEME] if _speaks(store, claim, themes) else []),
    ]
    if not found and _rests_on_muted(store, claim, themes, set()):
        found.append(MutedBy.GROUND)
    return tuple(found)


def _rests_on_muted(
    store: Store, claim: ClaimState, themes: tuple[str, ...], seen: set[int]
) -> bool:
    """Return whether every justification of a claim needs a muted one, in the end."""
    seen.add(claim.seq)
    return bool(claim.justifications) and all(
        any(_is_muted(store, node, themes, seen) for node in justification)
        for justification in claim.justifications
    )


def _is_muted(store: Store, node: int, themes: tuple[str, ...], seen: set[int]) -> bool:
    claim, held = store.state.claims.get(node), store.state.restraint
    if claim is None or node in seen:  # a source is not muted, and a loop holds nothing up
        return False
    if node in held.muted or node in held.requests or _speaks(store, claim, themes):
        return True
    return _rests_on_muted(store, claim, themes, seen)


def _speaks(store: Store, claim: ClaimState, themes: tuple[str, ...]) -> bool:
    if not themes:
        return False
    for seq in claim.assertions:
        words = store.words(seq)
        said = " ".join(words[name] for name in ("quote", "gist", "subject", "attribute", "value"))
        if any(speaks_of(theme, said) for theme in themes):
            return True
    return False


def themes_of(store: Store, readable: frozenset[int]) -> tuple[str, ...]:
    """Return the words of the themes that are muted for somebody who reads these scopes."""
    return tuple(
        theme_words(store, seq)
        for seq, scope in store.state.restraint.themes.items()
        if scope in readable
    )


def theme_words(store: Store, seq: int) -> str:
    """Return the words of a muted theme, opened once."""
    if seq not in store.themes:
        try:
            store.themes[seq] = str(store.words(seq)["theme"])
        except ErasedError:  # its person was erased, and what she did not want to hear with her
            store.themes[seq] = ""
    return store.themes[seq]


class Hush(NamedTuple):
    """What is not to be brought up to somebody: muted themes, and in canonical form what muted claims say."""

    themes: tuple[str, ...]
    texts: tuple[str, ...]

    def covers(self, text: str) -> bool:
        """Return whether a text speaks of a muted theme or says what a muted claim says."""
        if any(speaks_of(theme, text) for theme in self.themes):
            return True
        said = f" {canonical_text(text)} " if self.texts else ""
        return any(f" {one} " in said for one in self.texts)


def hush_of(store: Store, readable: frozenset[int]) -> Hush:
    """Return what is muted for somebody who reads these scopes: a source may say what a muted claim says."""
    held, found = store.state.restraint, dict[str, None]()
    for seq in (*held.muted, *held.requests):
        claim = store.state.claims[seq]
        for assertion in claim.assertions if claim.scope in readable else ():
            words = store.words(assertion)
            found.update(dict.fromkeys(canonical_text(words[name]) for name in ("quote", "gist")))
    return Hush(themes_of(store, readable), tuple(text for text in found if text))
