"""The tree over the journal is that of RFC 9162, section 2.1."""

import hashlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.lineage import State


def naive_root(leaves: Sequence[bytes]) -> bytes:
    """Return the root as section 2.1.1 writes it down: split at the largest power of two below the size."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    left, right = naive_root(leaves[:split]), naive_root(leaves[split:])
    return hashlib.sha256(b"\x01" + left + right).digest()


def root(leaves: Sequence[bytes]) -> bytes:
    """Return the root as the store keeps it, leaf by leaf."""
    frontier = State().frontier
    for leaf in leaves:
        frontier.append(leaf)
    assert frontier.size == len(leaves)
    return frontier.root()


# The eight leaves and the roots that implementations of RFC 6962 and RFC 9162 test with.
LEAVES = tuple(
    bytes.fromhex(leaf)
    for leaf in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
)
ROOTS = {
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


@pytest.mark.parametrize("size", sorted(ROOTS))
def test_the_root_is_the_known_one(size: int) -> None:
    assert root(LEAVES[:size]).hex() == ROOTS[size]
    assert naive_root(LEAVES[:size]).hex() == ROOTS[size]


@given(st.lists(st.binary(max_size=6), max_size=70))
def test_the_root_is_that_of_the_definition(leaves: list[bytes]) -> None:
    assert root(leaves) == naive_root(leaves)


@given(
    st.lists(st.binary(max_size=3), min_size=1, max_size=20),
    st.integers(0, 19),
    st.binary(max_size=4),
)
def test_another_leaf_gives_another_root(leaves: list[bytes], place: int, other: bytes) -> None:
    changed = list(leaves)
    changed[place % len(leaves)] = other

    assert (root(changed) == root(leaves)) is (changed == leaves)


def test_a_copy_grows_alone() -> None:
    frontier = State().frontier
    frontier.append(b"one")
    copy = frontier.copy()
    copy.append(b"two")

    assert (frontier.size, frontier.root()) == (1, naive_root([b"one"]))
    assert (copy.size, copy.root()) == (2, naive_root([b"one", b"two"]))
