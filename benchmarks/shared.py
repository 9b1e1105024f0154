"""Where the data for measuring lies: never in the repository, because of its licences."""

import os
from pathlib import Path


def shared_folder() -> Path:
    """Return the folder named by MUNIMENT_SHARED, else `../shared`; end with a clear word where there is none."""
    named = os.environ.get("MUNIMENT_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "benchmarks").is_dir():
        raise SystemExit(
            f"no data for measuring at {folder}; set MUNIMENT_SHARED to the folder that holds benchmarks/"
        )
    return folder
