"""The law of restoring: a restored store is the store of the backup, less what was erased and revoked until now."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import Memory, Session, Standing
from muniment.testing import findings, flat_embedder

PASSPHRASE = "correct horse battery"


class Step(NamedTuple):
    """One thing that happens: a verb and which of the sources so far it is about."""

    verb: str
    which: int


STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from(["say", "say", "derive", "erase", "revoke", "give back"]),
        st.integers(0, 9),
    ),
    max_size=8,
)


@pytest.fixture(autouse=True, scope="module")
def quickly() -> Iterator[None]:
    """Let passphrases cost nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("muniment.lineage.passphrases._COST", 2)
        yield


def take(kim: Session, step: Step, sources: list[str]) -> None:
    """Let one thing happen, as far as it can."""
    if step.verb == "say" or not sources:
        text = f"사실 number {len(sources)}."
        said = kim.message(text)
        kim.remember(text, kind="stated", sources=[said])
        sources.append(said.id)
        return
    about = sources[step.which % len(sources)]
    claims = list(kim.claims())
    match step.verb:
        case "derive" if claims:
            grounds = [claims[step.which % len(claims)], claims[0]]
            if all(one.standing is Standing.ACTIVE for one in grounds):
                kim.remember(f"So it follows {len(sources)} {step.which}.", sources=grounds)
        case "erase" if about in alive(kim):
            kim.erase(about)
        case "revoke" if about in alive(kim):
            kim.revoke(about)
        case "give back" if about in alive(kim):
            kim.give_back(about)
        case _:
            pass


def alive(kim: Session) -> set[str]:
    """Return the sources that were not erased."""
    state = kim.acting.store.state
    return {source.id for source in state.sources.values()}


def revoked(memory: Memory) -> set[str]:
    """Return the sources access to which is revoked."""
    state = memory.store.state
    return {state.names[seq] for seq in state.revoked if seq in state.sources}


def gone(memory: Memory) -> set[str]:
    """Return the claims and the wordings that were erased."""
    state = memory.store.state
    return {state.names[seq] for seq in state.erased}


@settings(max_examples=12, deadline=None)
@given(before=STEPS, after=STEPS)
def test_a_restored_store_is_the_backup_less_what_was_erased(
    before: list[Step], after: list[Step]
) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        with Memory.open(folder / "store", embedder=flat_embedder()) as memory:
            kim, sources = memory.session(person="kim"), list[str]()
            kim.message("So it begins.")
            for step in before:
                take(kim, step, sources)
            memory.backup(folder / "backup", passphrase=PASSPHRASE)
            state = memory.store.state
            claims, then = {one.id for one in state.claims.values()}, set(state.ids)
            for step in after:
                take(kim, step, sources)
            memory.keys_mirror(folder / "mirror", passphrase=PASSPHRASE)
            now = gone(memory) & then
            held = revoked(memory) & then
            stones = set(memory.store.state.tombstones)
            words = {one.id: one.words for one in kim.claims() if one.id in claims}

        done = Memory.restore(
            folder / "backup", folder / "new", passphrase=PASSPHRASE, keys=folder / "mirror"
        )

        assert done.keys_missing == 0
        with Memory.open(folder / "new", embedder=flat_embedder()) as memory:
            kim = memory.session(person="kim")
            assert gone(memory) == now
            assert revoked(memory) == held
            assert set(memory.store.state.tombstones) == stones
            assert {one.id: one.words for one in kim.claims()} == words
            assert findings(memory) == ()
