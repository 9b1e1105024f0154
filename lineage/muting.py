"""Which claims are muted for a reader: by themselves, by a theme, by a request that waits, by all they rest on."""

from collections.abc import Iterable
from typing import NamedTuple

from muniment.claims import SAID, ErasedError, MutedBy, canonical_text
from muniment.policy import comes_on_need, speaks_of

from .state import ClaimState, State
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
        said = " ".join(words[name] for name in SAID)
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
    """What is not to be brought up: muted themes, and in canonical form what muted and what sensitive claims say."""

    themes: tuple[str, ...]
    texts: tuple[str, ...]
    sensitive: tuple[str, ...] = ()

    def covers(self, text: str) -> bool:
        """Return whether a text speaks of a muted theme or says what a muted or sensitive claim says."""
        return bool(self.rule_for(text))

    def rule_for(self, text: str) -> str:
        """Return the rule by which a text is not brought up, empty where it may be."""
        if any(speaks_of(theme, text) for theme in self.themes):
            return "MUTED"
        said = f" {canonical_text(text)} " if self.texts or self.sensitive else ""
        if any(f" {one} " in said for one in self.texts):
            return "MUTED"
        return "SENSITIVE" if any(f" {one} " in said for one in self.sensitive) else ""


def hush_of(store: Store, readable: frozenset[int], *, sensitive: bool = False) -> Hush:
    """Return what is muted for somebody who reads these scopes: a source may say what a muted claim says.

    With `sensitive` what sensitive claims say too: the person herself may hear that, an agent not.
    """
    held, state = store.state.restraint, store.state
    muted = _texts(store, (*held.muted, *held.requests), readable)
    private = [seq for seq in state.sensitive.reached if is_withheld(state, state.claims[seq])]
    told = _texts(store, private, readable) if sensitive else ()
    return Hush(themes_of(store, readable), muted, told)


def _texts(store: Store, claims: Iterable[int], readable: frozenset[int]) -> tuple[str, ...]:
    """Return what claims in these scopes say, in canonical form, each once."""
    found = dict[str, None]()
    for seq in claims:
        claim = store.state.claims[seq]
        for assertion in claim.assertions if claim.scope in readable else ():
            words = store.words(assertion)
            found.update(dict.fromkeys(canonical_text(words[name]) for name in ("quote", "gist")))
    return tuple(text for text in found if text)


def is_withheld(state: State, claim: ClaimState) -> bool:
    """Return whether a claim comes on explicit need only: a sensitive one that is no constraint of the person's own."""
    held = state.sensitive.holds_back(claim)
    return held and comes_on_need(category=claim.category, integrity=claim.integrity)
