"""L09: a bundle is checked offline by one file that knows nothing of the store; every field that is changed is seen."""

import importlib.util
import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast

import pytest

from muniment import Memory, Purpose
from muniment.testing import HandClock, flat_embedder

TOOL = Path(__file__).parents[2] / "tools" / "verify_bundle.py"
SECRET = "The vault stands behind the harbour office."


class Made(NamedTuple):
    """A bundle of a claim that was derived, the key to check it with, and an anchor."""

    bundle: dict[str, Any]
    receipt: dict[str, Any]
    key: str
    anchor: str


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """The stand-alone verifier."""
    spec = importlib.util.spec_from_file_location("verify_bundle", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Bundles from a store in which things were said, corrected, withdrawn, and said by others."""
    folder = tmp_path_factory.mktemp("bundle")
    with Memory.open(folder / "store", clock=HandClock(), embedder=flat_embedder()) as memory:
        lee = memory.session(person="lee")
        lee.remember(SECRET, kind="stated", sources=[lee.message(SECRET)])
        memory.checkpoint(anchor=folder / "anchor")
        kim = memory.session(person="kim", project="apollo")
        said = kim.message("배포는 금요일에 해요. 나머지는 비밀이에요.")
        old = kim.remember("배포는 금요일에 해요.", kind="stated", sources=[said])
        page = kim.document("Deploys take an hour.", origin="https://wiki.example/ops")
        derived = kim.remember("Fridays are busy from ten to eleven.", sources=[old, page])
        receipt = kim.recall("when?", purpose=Purpose.ANSWER).receipt
        again = kim.message("No: we deploy on Mondays.")
        kim.correct(old, "we deploy on Mondays.", sources=[again])
        bundle = json.loads(kim.investigate(derived).bundle)
        of_receipt = json.loads(kim.investigate(receipt).bundle)
        memory.checkpoint(anchor=folder / "anchor")
        return Made(bundle, of_receipt, memory.signer.key, (folder / "anchor").read_text("utf-8"))


def code(tool: ModuleType, bundle: object, key: str, anchor: str = "") -> int:
    """Return the exit code for a bundle."""
    found = tool.verify(json.dumps(bundle, ensure_ascii=False), key, anchor)
    sorts = {sort for sort, _ in found}
    codes: dict[str, int] = tool.CODES
    return codes[next((word for word in codes if word in sorts), "OK")]


def test_what_is_sound_is_ok(tool: ModuleType, made: Made) -> None:
    assert code(tool, made.bundle, made.key) == 0
    assert code(tool, made.receipt, made.key) == 0
    assert code(tool, made.receipt, "") == 14


def test_it_holds_the_lineage_and_nothing_else(made: Made) -> None:
    text = json.dumps(made.bundle, ensure_ascii=False)

    bodies = [json.loads(item["body"]) for item in made.bundle["words"]]
    shown = {
        body.get("quote") or body.get("gist") or body.get("text") or body.get("name")
        for body in bodies
    }
    assert {
        "배포는 금요일에 해요.",
        "Deploys take an hour.",
        "kim",
        "https://wiki.example/ops",
    } <= shown
    assert SECRET not in text and "lee" not in shown
    states = {one["lifecycle"] for one in made.bundle["status"].values()}
    assert states == {"asserted", "corrected"}
    assert {one["fresh"] for one in made.bundle["status"].values()} == {True, False}


def leaves(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path to every leaf of a JSON value."""
    if isinstance(value, dict):
        for name, item in cast(dict[str, object], value).items():
            yield from leaves(item, (*path, name))
    elif isinstance(value, list):
        for place, item in enumerate(cast(list[object], value)):
            yield from leaves(item, (*path, place))
    else:
        yield path


def changed(value: object) -> object:
    """Return another value of the same type."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value[:-1] + ("A" if value[-1:] != "A" else "B")
        case _:
            return "x"


def with_leaf(bundle: dict[str, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
    """Return a bundle in which one leaf was changed."""
    copy = json.loads(json.dumps(bundle))
    place = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = changed(place[path[-1]])
    found: dict[str, Any] = copy
    return found


def test_every_field_changed_is_seen(tool: ModuleType, made: Made) -> None:
    for path in leaves(made.bundle):
        wanted = {"headers": 13}.get(str(path[0]), 11)
        assert code(tool, with_leaf(made.bundle, path), made.key) == wanted, path


def test_records_cut_off_are_missed(tool: ModuleType, made: Made) -> None:
    for left in (len(made.bundle["headers"]) - 1, 3, 0):
        cut = {**made.bundle, "headers": made.bundle["headers"][:left]}
        assert code(tool, cut, made.key) == 12


def without(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return what takes a field out of a bundle."""
    return lambda bundle: {key: value for key, value in bundle.items() if key != name}


@pytest.mark.parametrize("name", ["checkpoint", "headers", "records", "words", "status", "seal"])
def test_a_field_taken_out_is_seen(tool: ModuleType, made: Made, name: str) -> None:
    assert code(tool, without(name)(made.bundle), made.key) == 11


def sealed_anew(bundle: dict[str, Any], seed: bytes) -> tuple[dict[str, Any], str]:
    """Return a bundle signed whole by whoever has a key of his own, and the key."""
    from muniment.lineage import Signer, Tree, bundle_digest

    signer = Signer("default", seed)
    tree = Tree(header.encode() for header in bundle["headers"])
    body = {**bundle, "key": signer.key}
    body["checkpoint"] = signer.checkpoint(tree.size, tree.root(tree.size))
    body["seal"] = signer.note(f"muniment-bundle/1\n{bundle_digest(body)}\n")
    return body, signer.key


def test_a_bundle_signed_by_another_is_seen(tool: ModuleType, made: Made) -> None:
    forged, key = sealed_anew(made.bundle, b"\1" * 32)

    assert code(tool, forged, made.key) == 11
    assert code(tool, forged, key) == 0  # what only a key from elsewhere can tell


def test_what_the_signer_says_is_replayed_all_the_same(tool: ModuleType, made: Made) -> None:
    lied = json.loads(json.dumps(made.bundle))
    for stands in lied["status"].values():
        stands["lifecycle"] = "asserted"
    forged, key = sealed_anew(lied, b"\2" * 32)
    assert code(tool, forged, key) == 11

    lied = json.loads(json.dumps(made.bundle))
    body = json.loads(lied["words"][0]["body"])
    lied["words"][0]["body"] = json.dumps({**body, "text": "else"})
    assert code(tool, *sealed_anew(lied, b"\2" * 32)) == 11

    lied = json.loads(json.dumps(made.bundle))
    lied["records"][0]["proof"][0] = b64encode(bytes(32)).decode()
    assert code(tool, *sealed_anew(lied, b"\2" * 32)) == 11


def test_words_left_out_make_it_incomplete(tool: ModuleType, made: Made) -> None:
    changes: list[dict[str, Any]] = [{"words": made.bundle["words"][1:]}, {"status": {}}]
    for change in changes:
        forged, key = sealed_anew({**made.bundle, **change}, b"\3" * 32)
        assert code(tool, forged, key) == 14


def test_an_operation_it_does_not_know_makes_it_incomplete(tool: ModuleType, made: Made) -> None:
    headers = [*made.bundle["headers"]]
    extra = {"id": "x" * 22, "op": "novel", "seq": len(headers) + 1}
    forged, key = sealed_anew(
        {**made.bundle, "headers": [*headers, json.dumps(extra)], "records": [], "words": []},
        b"\4" * 32,
    )
    assert code(tool, forged, key) == 14


def test_it_is_held_to_an_anchor(tool: ModuleType, made: Made) -> None:
    assert code(tool, made.bundle, made.key, made.anchor) == 0
    assert code(tool, made.bundle, made.key, "nothing\n") == 14
    other, key = sealed_anew({**made.bundle, "headers": made.bundle["headers"][:-1]}, b"\5" * 32)
    _, anchor_key = sealed_anew(made.bundle, b"\5" * 32)
    assert key == anchor_key
    later = sealed_anew(made.bundle, b"\5" * 32)[0]["checkpoint"]
    assert code(tool, other, key, later + "\n") == 12
    twisted = [*made.bundle["headers"][:-1], made.bundle["headers"][-1].replace('"v":1', '"v":2')]
    assert (
        code(tool, sealed_anew({**made.bundle, "headers": twisted}, b"\5" * 32)[0], key, later)
        == 13
    )


def test_it_runs_by_itself(made: Made, tmp_path: Path) -> None:
    (tmp_path / "bundle.json").write_text(json.dumps(made.bundle), "utf-8")
    (tmp_path / "anchor").write_text(made.anchor, "utf-8")
    words = [
        sys.executable,
        "-I",
        str(TOOL),
        "bundle.json",
        "--key",
        made.key,
        "--anchor",
        "anchor",
    ]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "OK\n", "")

    imported = {line.split()[1].partition(".")[0] for line in TOOL.read_text("utf-8").splitlines()
                if line.startswith(("import ", "from "))}  # fmt: skip
    assert imported - set(sys.stdlib_module_names) == {"cryptography"}


def test_which_origins_count_as_one_is_replayed(tool: ModuleType, tmp_path: Path) -> None:
    pages = [f"https://{name}.example" for name in ("a", "b", "c", "d")]
    with Memory.open(tmp_path / "store", embedder=flat_embedder()) as memory:
        kim, claim = memory.session(person="kim"), None
        for page in pages:
            source = kim.document(f"{page}: the dam holds", origin=page)
            if page != pages[3]:
                claim = kim.remember("the dam holds", kind="external", sources=[source])
        assert claim is not None
        memory.same_origin(pages[0], pages[1], reason="b prints what a prints")
        memory.same_origin(pages[0], pages[2])
        memory.same_origin(pages[2], pages[3], reason="not of this claim")
        memory.apart(pages[0], pages[2])
        text = kim.investigate(claim).bundle
        bundle, key = json.loads(text), memory.signer.key
        first, second = (
            memory.store.state.names[memory.store.names.find("origin", page)] for page in pages[:2]
        )

    assert bundle["origins"] == [[first, second]]
    assert "b prints what a prints" in text and "not of this claim" not in text
    assert code(tool, bundle, key) == 0
    for lie in ([], [[first]], [[first, second], [first, bundle["subject"]]]):
        assert code(tool, *sealed_anew({**bundle, "origins": lie}, b"\6" * 32)) == 11
    forged, key = sealed_anew(bundle, b"\6" * 32)
    assert code(tool, forged, key) == 0
