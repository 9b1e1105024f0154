"""The public yardstick `agmi` (agent-memory-integrity, MIT) run against a store of ours: nine edits, three channels.

    python -m benchmarks.integrity_yardstick [FOLDER]

T1 to T9 edit the files behind the product's back, once for each sort of file: the journal, the journal with every other
file made to agree, the graph, the keys. Each row but the last has an anchor; that one shows what an anchor is for. The
attacks through the interface are run on the suite's three channels. What came back is written to `agmi.json` in FOLDER
(benchmarks/results by default). The last line counts the edits that are refused or reported in every row with an anchor
where they can be made. Exit 0 when all nine are.
"""

import json
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agmi import check
from agmi.attacks import memory_specific

from benchmarks.yardstick_adapters import (
    AgreeingAdapter,
    GraphAdapter,
    JournalAdapter,
    KeysAdapter,
    RecallAdapter,
    UnanchoredAdapter,
)
from muniment.retrieval import UniversalSentenceEncoder

RESULTS = Path(__file__).parent / "results"
FILES = (JournalAdapter, AgreeingAdapter, GraphAdapter, KeysAdapter, UnanchoredAdapter)
PURPOSES = ("answer", "personalise")
EDITS = len(check.LABELS)
_HELD = ("REJECTED", "REPORTED")

Outcome = dict[str, Any]


def edits() -> dict[str, list[Outcome]]:
    """Return by sort of file what became of each edit, as `agmi-check` words it."""
    found: dict[str, list[Outcome]] = {}
    for adapter in (make() for make in FILES):
        print(f"editing: {adapter.name} …", file=sys.stderr, flush=True)
        found[adapter.name] = check.run(adapter)
    return found


def held(found: dict[str, list[Outcome]]) -> list[str]:
    """Return the edits that every row with an anchor refuses or reports, wherever they can be made."""
    anchored = [found[make.name] for make in FILES if make.anchored]
    return [
        rows[0]["edit"]
        for rows in zip(*anchored, strict=True)
        if all(row["verdict"] in (*_HELD, "NOT EVALUABLE") for row in rows)
        and any(row["verdict"] in _HELD for row in rows)
    ]


def channels() -> dict[str, Outcome]:
    """Return by purpose of the recall what became of each attack through the interface, channel by channel.

    `unsigned` counts as what the words of writers without a valid signature came back, wherever they did.
    """
    found: dict[str, Outcome] = {}
    embedder = UniversalSentenceEncoder()
    for purpose in PURPOSES:
        adapter = RecallAdapter(purpose, embedder)
        print(f"attacking: {adapter.name} …", file=sys.stderr, flush=True)
        results = [attack().run(adapter) for attack in memory_specific.ALL_MEMORY_ATTACKS]
        adapter.close()
        found[adapter.name] = {
            "attacks": [_attack(result) for result in results],
            "unsigned": dict(sorted(adapter.came.items())),
        }
    return found


def _attack(result: memory_specific.MemoryAttackResult) -> Outcome:
    return {
        "attack": result.attack,
        "version": result.version,
        "status": {"safe": "kept out", "VULNERABLE": "surfaced"}.get(result.status, result.status),
        "surfaced": {
            channel: f"{outcomes.count(True)} of {len(outcomes)}"
            for channel, outcomes in result.channels.items()
        },
        "detail": result.error or result.detail,
    }


def run() -> Outcome:
    """Return everything that came back."""
    return {"agmi": version("agent-memory-integrity"), "edits": edits(), "channels": channels()}


def table(found: Outcome) -> Iterator[str]:
    """Yield what came back as Markdown."""
    names = [name.partition(" ")[0] for name in check.LABELS.values()]
    yield f"agmi {found['agmi']}. {', '.join(check.LABELS.values())}."
    yield ""
    yield f"| files edited | {' | '.join(names)} |"
    yield f"|---|{'---|' * EDITS}"
    for name, rows in found["edits"].items():
        verdicts = (row["verdict"].lower().replace("not evaluable", "–") for row in rows)
        yield f"| {name} | {' | '.join(verdicts)} |"
    yield ""
    yield (
        "*rejected*: opening or reading refuses; *reported*: `muniment verify` names it; *accepted*: neither; "
        f"–: it cannot be made there. **{len(held(found['edits']))} of {EDITS}** with the anchor."
    )
    yield ""
    attacks = [row["attack"] for row in next(iter(found["channels"].values()))["attacks"]]
    yield f"| channel | {' | '.join(attacks)} |"
    yield f"|---|{'---|' * len(attacks)}"
    for name, outcome in found["channels"].items():
        for channel in (*memory_specific.CHANNELS, "cross-user"):
            cells = [row["surfaced"].get(channel, "") for row in outcome["attacks"]]
            yield f"| {name}, {channel} | {' | '.join(cells)} |"
    yield ""
    came = "; ".join(
        f"{name}: {', '.join(f'{sort} {count} times' for sort, count in outcome['unsigned'].items()) or 'never'}"
        for name, outcome in found["channels"].items()
    )
    yield f"Of five, how many of the attacker's texts came back. What had no valid signature came back as: {came}."
    yield (
        "`metadata_poisoning` cannot be tried: no recall filters by what a writer says of its own words. A writer who "
        "bears the person's own signature (agent-laundered) is the person to any store."
    )


def main(arguments: list[str]) -> int:
    """Run everything, write what came back and return the exit code."""
    found = run()
    folder = Path(arguments[0]) if arguments else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found, ensure_ascii=False, indent=1)
    (folder / "agmi.json").write_text(f"{text}\n", encoding="utf-8")
    print("\n".join(table(found)))
    print(f"agmi: {len(held(found['edits']))}/{EDITS}")
    return 0 if len(held(found["edits"])) == EDITS else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
