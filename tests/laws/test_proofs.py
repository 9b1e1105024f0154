"""Proofs of inclusion and consistency are those of RFC 9162, sections 2.1.3.1 and 2.1.4.1."""

import hashlib
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from muniment.lineage import Tree, is_consistent, is_included

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
# What implementations of RFC 6962 test with: inclusion as (leaf, size), consistency as (first, second).
INCLUSION = {
    (0, 8): (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (5, 8): (
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
}
CONSISTENCY = {
    (1, 8): (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (6, 8): (
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
}


def split(count: int) -> int:
    """Return the largest power of two below a count."""
    found = 1
    while found * 2 < count:
        found *= 2
    return found


def naive_root(leaves: Sequence[bytes]) -> bytes:
    """MTH of section 2.1.1."""
    if len(leaves) < 2:
        return hashlib.sha256(b"\x00" + leaves[0] if leaves else b"").digest()
    at = split(len(leaves))
    return hashlib.sha256(b"\x01" + naive_root(leaves[:at]) + naive_root(leaves[at:])).digest()


def naive_path(leaf: int, leaves: Sequence[bytes]) -> list[bytes]:
    """PATH of section 2.1.3.1."""
    if len(leaves) == 1:
        return []
    at = split(len(leaves))
    if leaf < at:
        return [*naive_path(leaf, leaves[:at]), naive_root(leaves[at:])]
    return [*naive_path(leaf - at, leaves[at:]), naive_root(leaves[:at])]


def naive_proof(first: int, leaves: Sequence[bytes], known: bool) -> list[bytes]:
    """SUBPROOF of section 2.1.4.1."""
    if first == len(leaves):
        return [] if known else [naive_root(leaves)]
    at = split(len(leaves))
    if first <= at:
        return [*naive_proof(first, leaves[:at], known), naive_root(leaves[at:])]
    return [*naive_proof(first - at, leaves[at:], False), naive_root(leaves[:at])]


def test_the_proofs_are_the_known_ones() -> None:
    tree = Tree(LEAVES)

    for (leaf, size), wanted in INCLUSION.items():
        assert tuple(step.hex() for step in tree.inclusion(leaf, size)) == wanted
    for (first, second), wanted in CONSISTENCY.items():
        assert tuple(step.hex() for step in tree.consistency(first, second)) == wanted


@given(st.lists(st.binary(max_size=6), min_size=1, max_size=70), st.data())
def test_inclusion_is_that_of_the_definition(leaves: list[bytes], data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(leaves)))
    leaf = data.draw(st.integers(0, size - 1))
    tree = Tree(leaves)
    path, root = tree.inclusion(leaf, size), naive_root(leaves[:size])

    assert tree.root(size) == root
    assert path == naive_path(leaf, leaves[:size])
    assert is_included(leaves[leaf], leaf, size, path, root)
    assert not is_included(leaves[leaf] + b"x", leaf, size, path, root)
    assert not is_included(leaves[leaf], leaf, size, [*path, root], root)
    assert not is_included(leaves[leaf], leaf, size, path[:-1], root) or not path
    for at in range(len(path)):
        changed = [*path[:at], bytes(32), *path[at + 1 :]]
        assert not is_included(leaves[leaf], leaf, size, changed, root)


@given(st.lists(st.binary(max_size=6), min_size=1, max_size=70), st.data())
def test_consistency_is_that_of_the_definition(leaves: list[bytes], data: st.DataObject) -> None:
    second = data.draw(st.integers(1, len(leaves)))
    first = data.draw(st.integers(1, second))
    path = Tree(leaves).consistency(first, second)
    old, new = naive_root(leaves[:first]), naive_root(leaves[:second])

    assert path == naive_proof(first, leaves[:second], True)
    assert is_consistent(first, second, old, new, path)
    assert not is_consistent(first, second, bytes(32), new, path)
    assert not is_consistent(first, second, old, bytes(32), path)
    assert not is_consistent(first, second, old, new, [*path, old])
    for at in range(len(path)):
        changed = [*path[:at], bytes(32), *path[at + 1 :]]
        assert not is_consistent(first, second, old, new, changed)
