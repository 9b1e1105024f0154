"""Draw the pictures of the README from a real run: `.venv/bin/python docs/pictures/make.py`."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
FIRST, LAST = "━━ 3 ·", "━━ 4 ·"


def main() -> None:
    """Run the tour in an empty folder and draw its third act as an SVG."""
    command = Path(sys.executable).with_name("muniment")
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": "92", "TERM": "xterm-256color"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [command, "tour", "--lang", "en"],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    lines = done.stdout.splitlines()
    plain = [Text.from_ansi(line).plain for line in lines]
    first = next(at for at, line in enumerate(plain) if line.startswith(FIRST))
    last = next(at for at, line in enumerate(plain) if line.startswith(LAST))
    console = Console(record=True, width=92, file=open(os.devnull, "w"))  # noqa: SIM115 - closed at exit
    console.print(Text.from_ansi("\n".join(lines[first:last])))
    drawn = console.export_svg(title="make tour")
    # Without the fonts that the drawing would fetch from elsewhere.
    drawn = re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL)
    (HERE / "tour.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
