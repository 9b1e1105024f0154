"""What the hints catch and what they wrongly flag, by kind and language; no gate depends on it.

    python -m benchmarks.hint_table [SHARED]

`SHARED` is the folder that holds `corpora/injection_dev.jsonl`. A hint only annotates what a person sees, so this is
the score of an annotation: what may direct is decided by where words came from
(`tests/laws/test_external_stays_external.py`). Ours are the hints of every recall and, apart, those of the review.
Beside them, in the same process: a list of the phrases every article names, and the instruction patterns of
`safer-agent-memory` where that is installed (`pip install 'muniment[peers]'`). Of injections the share flagged is what
is caught, of benign texts what is wrongly flagged. Labels are the sources' own; kinds ending in `_mechanical` were made
from other rows by a published scheme of hiding.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.shared import shared_folder
from muniment.policy import DEFAULT_HINTS, sensitive_hint

Flag = Callable[[str], bool]
Row = dict[str, str | float]
PHRASES = (
    "ignore previous instructions", "ignore all previous", "ignore the above", "disregard previous",
    "forget everything", "system prompt", "you are now", "new instructions", "developer mode", "jailbreak",
    "do anything now", "act as", "이전 지시", "지시를 무시", "시스템 프롬프트", "개발자 모드", "탈옥",
)  # fmt: skip
OURS, REVIEW, LIST, PEER = "hints", "hints of the review", "list of phrases", "safer-agent-memory"


def hinted(text: str) -> bool:
    """Return whether a hint of every recall says something of a text."""
    return any(hint(text) for hint in DEFAULT_HINTS)


def reviewed(text: str) -> bool:
    """Return whether a hint that a person sees where she decides says something of a text."""
    return hinted(text) or bool(sensitive_hint(text))


def listed(text: str) -> bool:
    """Return whether a phrase of the list stands in a text."""
    folded = " ".join(text.casefold().split())
    return any(phrase in folded for phrase in PHRASES)


def detectors() -> dict[str, Flag]:
    """Return what looks at the texts, by name."""
    found: dict[str, Flag] = {OURS: hinted, REVIEW: reviewed, LIST: listed}
    try:
        from sams.redact import review_flags  # a peer to stand beside, no part of the product
    except ImportError:
        print(
            f"{PEER} is not installed and left out: pip install 'muniment[peers]'", file=sys.stderr
        )
    else:
        found[PEER] = lambda text: "instruction-like" in review_flags(text)
    return found


def corpus(shared: Path) -> list[Mapping[str, str]]:
    """Return the rows of the corpora; end with a clear word where there are none."""
    path = shared / "corpora" / "injection_dev.jsonl"
    if not path.is_file():
        raise SystemExit(f"no texts to look at: {path} is not there")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def groups(rows: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield label, kind, language and texts: each kind whole, each language whole, then all."""
    for what in ("injection", "benign"):
        sorts: dict[tuple[str, str], list[str]] = defaultdict(list)
        for row in rows:
            if row["label"] == what:
                sorts[row["kind"], "all"].append(row["text"])
                sorts["all", row["lang"]].append(row["text"])
                sorts["all", "all"].append(row["text"])
        for (kind, language), texts in sorted(
            sorts.items(), key=lambda one: (one[0][0] == "all", one[0][1] == "all", one[0])
        ):
            yield what, kind, language, texts


def run(shared: Path) -> list[Row]:
    """Return for every group how many texts there are and which share of them each detector flags."""
    looking = detectors()
    rows: list[Row] = []
    for label, kind, language, texts in groups(corpus(shared)):
        shares = {name: sum(map(flag, texts)) / len(texts) * 100 for name, flag in looking.items()}
        rows.append(
            {"label": label, "kind": kind, "language": language, "texts": len(texts), **shares}
        )
    return rows


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the rows as a Markdown table: per cent flagged."""
    names = [name for name in (OURS, REVIEW, LIST, PEER) if name in rows[0]]
    yield f"| label | kind | language | texts | {' | '.join(names)} |"
    yield f"|---|---|---|---|{'---|' * len(names)}"
    for row in rows:
        shares = " | ".join(f"{float(row[name]):.0f} %" for name in names)
        yield f"| {row['label']} | {row['kind']} | {row['language']} | {row['texts']} | {shares} |"


if __name__ == "__main__":
    for line in table(run(Path(sys.argv[1]) if sys.argv[1:] else shared_folder())):
        print(line)
