"""The index lasts, takes back what was taken in, starts anew when it does not fit, and holds no words."""

import random
import shutil
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from muniment.retrieval import CallableEmbedder, Entry, Found, Index, WordsAndPairs

Open = Callable[..., Index]
ONE = frozenset({1})


def claim(node: int, text: str, *, chunk: int = 0, scope: int = 1) -> Entry:
    return Entry(node, chunk, "claim", scope, text)


def nodes(found: Found) -> list[int]:
    return [one.node for one in found.candidates]


def scored(found: Found) -> list[tuple[int, int, float]]:
    return [(one.node, one.chunk, round(one.score, 6)) for one in found.candidates]


def files(place: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in place.rglob("*") if file.is_file()}


def talk(count: int, *, first: int = 1) -> list[Entry]:
    """Return turns of random words in threads of seven."""
    pick = random.Random(count)
    words = (
        "deploy staging friday tea coffee 배포 환경 금요일 회의 team lunch red green blue".split()
    )
    return [
        Entry(
            first + at,
            0,
            "turn",
            1,
            " ".join(pick.choices(words, k=1 + at % 9)),
            thread=1 + at // 7,
            speaker=1 + at % 2,
        )
        for at in range(count)
    ]


def test_a_new_index_has_nothing_applied(opened: Open) -> None:
    index = opened()

    assert index.applied == 0
    assert index.notes == ()


def test_what_was_added_is_there_after_reopening_with_equal_scores(opened: Open) -> None:
    index = opened()
    index.add([claim(1, "we deploy to staging"), claim(2, "tea at noon")], applied=7)
    index.add(talk(40, first=10), applied=9)

    again = opened()

    assert again.applied == 9
    for query in ("deploy staging", "배포 환경을", "tea"):
        assert again.claims(query, scopes=ONE, limit=9) == index.claims(query, scopes=ONE, limit=9)
        assert scored(again.turns(query, scopes=ONE, limit=40)) == scored(
            index.turns(query, scopes=ONE, limit=40)
        )


def test_rows_added_after_a_search_are_found_as_if_loaded_together(opened: Open) -> None:
    entries = talk(120)
    grown, whole = opened("grown"), opened("whole")
    whole.add(entries, applied=1)
    grown.add(entries[:60], applied=1)
    for at in range(60, 120, 4):
        grown.turns("deploy", scopes=ONE, limit=1)
        grown.add(entries[at : at + 4], applied=at)

    for query in ("deploy to staging", "배포 환경을", "green tea on Friday"):
        for name in ("turns", "threads"):
            one = getattr(grown, name)(query, scopes=ONE, limit=200)
            other = getattr(whole, name)(query, scopes=ONE, limit=200)
            assert sorted(scored(one)) == sorted(scored(other))
            assert scored(one)[:1] == scored(other)[:1]


def test_applied_never_goes_back(opened: Open) -> None:
    index = opened()
    index.add([claim(1, "a tea")], applied=9)
    index.add([], applied=5)

    assert index.applied == opened().applied == 9

    index.add([], applied=12)

    assert index.applied == 12
    assert opened().applied in range(
        9, 13
    )  # what put nothing in may be read once more after a crash
    index.close()
    assert opened().applied == 12


@pytest.mark.parametrize("searched_before", [True, False])
def test_an_entry_added_again_replaces_the_former(opened: Open, searched_before: bool) -> None:
    index = opened()
    index.add([claim(1, "we deploy to staging"), claim(2, "we deploy to moon")], applied=1)
    if searched_before:
        index.claims("deploy", scopes=ONE, limit=5)

    index.add([claim(1, "lunch is at noon")], applied=2)
    index.add([claim(3, "old words"), claim(3, "breakfast is at eight")], applied=3)

    for one in (index, opened()):
        assert nodes(one.claims("staging", scopes=ONE, limit=5)) == []
        assert nodes(one.claims("lunch", scopes=ONE, limit=5)) == [1]
        assert nodes(one.claims("breakfast", scopes=ONE, limit=5)) == [3]
        assert one.claims("lunch", scopes=ONE, limit=5).searched == 3


def test_one_best_chunk_of_a_node_comes_back(opened: Open) -> None:
    index = opened()
    index.add(
        [claim(1, "tea", chunk=0), claim(1, "staging is blue", chunk=1), claim(2, "staging")],
        applied=1,
    )

    found = index.claims("staging is blue", scopes=ONE, limit=5)

    assert [(one.node, one.chunk) for one in found.candidates] == [(1, 1), (2, 0)]


@pytest.mark.parametrize("searched_before", [True, False])
def test_removed_nodes_are_gone_from_answers_and_files(
    opened: Open, tmp_path: Path, searched_before: bool
) -> None:
    planted = np.linspace(0.5, 1.5, 64)
    planted /= np.linalg.norm(planted)

    def embed(texts: Sequence[str]) -> list[list[float]]:
        rest = np.eye(64)
        return [
            planted.tolist() if "canary" in text else rest[at % 64].tolist()
            for at, text in enumerate(texts)
        ]

    index = opened(embedder=CallableEmbedder("planted", 64, embed))
    index.add([claim(node, f"plain words number{node}") for node in range(1, 400)], applied=1)
    index.add([claim(node, f"more words number{node}") for node in range(400, 500)], applied=1)
    index.add([claim(777, "canary canary"), claim(778, "bird")], applied=2)
    vector = planted.astype(np.float16).tobytes()
    token = _stored_digest("canary")
    held = files(tmp_path).values()
    assert any(vector in content for content in held)
    assert any(token in content for content in held)
    if searched_before:
        assert 777 in nodes(index.claims("canary", scopes=ONE, limit=5))

    index.remove(frozenset({777, 9999}), applied=3)

    assert nodes(index.claims("canary", scopes=ONE, limit=5)) == []
    assert nodes(index.claims("bird", scopes=ONE, limit=1)) == [778]
    held = files(tmp_path).values()
    assert not any(vector in content for content in held)
    assert not any(token in content for content in held)
    assert opened(embedder=CallableEmbedder("planted", 64, embed)).applied == 3


def test_rewriting_keeps_what_is_there(opened: Open) -> None:
    index = opened()
    index.add(talk(50), applied=4)
    before = index.turns("deploy 배포", scopes=ONE, limit=50)

    index.rewrite()

    assert index.turns("deploy 배포", scopes=ONE, limit=50) == before
    assert opened().turns("deploy 배포", scopes=ONE, limit=50) == before
    assert opened().applied == 4


def test_clearing_empties_and_starts_over(opened: Open) -> None:
    index = opened()
    index.add(talk(50), applied=4)

    index.clear()

    assert index.applied == opened().applied == 0
    assert index.turns("deploy", scopes=ONE, limit=5) == Found()
    index.add(talk(50), applied=4)
    assert index.turns("deploy", scopes=ONE, limit=5).searched == 50


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (dict[str, object](key=b"another store's key"), "key"),
        (dict[str, object](bare=True), "embedder"),
        (
            dict[str, object](embedder=CallableEmbedder("pairs/1", 8, lambda texts: [[1.0] * 8])),
            "dimension",
        ),
    ],
)
def test_an_index_made_otherwise_starts_empty_and_says_why(
    opened: Open, change: dict[str, object], word: str
) -> None:
    opened().add([claim(1, "we deploy")], applied=7)

    index = opened(**change)

    assert index.applied == 0
    assert word in index.notes[0]
    assert index.claims("deploy", scopes=ONE, limit=5).searched == 0


def _garble_state(place: Path) -> None:
    (place / "index.json").write_text("{")


def _lose_state(place: Path) -> None:
    (place / "index.json").unlink()


def _lose_table(place: Path) -> None:
    shutil.rmtree(place / "rows.lance")


def _garble_versions(place: Path) -> None:
    for file in (place / "rows.lance" / "_versions").iterdir():
        file.write_bytes(b"garbage")


def _set_back_table(place: Path) -> None:
    # Names count down, so the first is the newest.
    versions = (place / "rows.lance" / "_versions").glob("*.manifest")
    min(versions, key=lambda file: file.name).unlink()


@pytest.mark.parametrize(
    "damage", [_garble_state, _lose_state, _lose_table, _garble_versions, _set_back_table]
)
def test_a_damaged_index_starts_empty_and_says_so(
    opened: Open, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    opened().add([claim(1, "we deploy")], applied=7)
    damage(tmp_path / "index")

    index = opened()

    assert index.applied == 0
    assert index.notes
    index.add([claim(1, "we deploy")], applied=7)
    assert nodes(index.claims("deploy", scopes=ONE, limit=5)) == [1]


def test_damage_found_while_searching_is_said_and_the_index_starts_over(
    opened: Open, tmp_path: Path
) -> None:
    opened().add([claim(1, "we deploy")], applied=7)
    index = opened()
    assert index.applied == 7
    for file in (tmp_path / "index" / "rows.lance" / "data").iterdir():
        file.write_bytes(b"garbage")

    found = index.claims("deploy", scopes=ONE, limit=5)

    assert found.candidates == ()
    assert "could not look" in found.notes[0]
    assert index.applied == 0
    index.add([claim(1, "we deploy")], applied=7)
    assert nodes(index.claims("deploy", scopes=ONE, limit=5)) == [1]


def test_no_file_holds_a_word(opened: Open, tmp_path: Path) -> None:
    index = opened()
    index.add([claim(1, "Xylophone canary 카나리아새"), *talk(30, first=5)], applied=3)
    index.claims("xylophone", scopes=ONE, limit=5)
    index.rewrite()

    for content in files(tmp_path).values():
        for word in ("xylophon", "canary", "canari", "카나리아새", "카나"):
            assert word.encode() not in content.lower()


def test_the_key_stands_in_no_file(opened: Open, tmp_path: Path) -> None:
    opened(key=b"0123456789abcdef").add([claim(1, "we deploy")], applied=1)

    assert not any(b"0123456789abcdef" in content for content in files(tmp_path).values())


def test_writers_and_readers_may_work_at_once(opened: Open) -> None:
    index = opened()
    index.add(talk(50), applied=1)
    faults: list[Exception] = []

    def write(offset: int) -> None:
        for at in range(5):
            index.add([claim(offset + at, f"deploy number{at}")], applied=offset + at)

    def read() -> None:
        for _ in range(20):
            for search in (index.claims, index.turns, index.threads):
                search("deploy 배포", scopes=ONE, limit=5)

    def guarded(work: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                work()
            except Exception as error:
                faults.append(error)

        return run

    work = [guarded(partial(write, 1000)), guarded(partial(write, 2000)), *[guarded(read)] * 2]
    threads = [threading.Thread(target=one) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert faults == []
    assert index.claims("deploy", scopes=ONE, limit=20).searched == 10
    assert index.applied == opened().applied == 2004


def test_a_node_is_a_positive_number(opened: Open) -> None:
    with pytest.raises(ValueError, match="positive"):
        opened().add([claim(0, "we deploy")], applied=1)


def _stored_digest(word: str) -> bytes:
    """Return the bytes under which the table holds a word."""
    from hashlib import blake2b

    (token,) = WordsAndPairs().tokens(word)
    return blake2b(token.encode(), digest_size=8, key=bytes(range(32))).digest()
