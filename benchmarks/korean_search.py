"""How well a Korean paragraph is found by a question, beside BM25 over morphemes and over words between spaces.

    python -m benchmarks.korean_search [SHARED]

KorQuAD 1.0 dev: 964 paragraphs as claims of one scope. A question whose SHA-1(id) is even was there to tune on, the odd
ones are reported. Morphemes are those of `kiwipiepy` (`pip install "muniment[ko]"`); without it that row is left out.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from hashlib import sha1
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from benchmarks.baselines import Cut, PlainBm25
from benchmarks.search_quality import Row, measured, table
from benchmarks.shared import shared_folder
from muniment.retrieval import Entry, Index, UniversalSentenceEncoder, WordsAndPairs

DEPTHS = (1, 5, 10)
SCOPE = frozenset({1})
Best = Callable[[str], Sequence[int]]


def korquad(shared: Path) -> tuple[list[str], list[tuple[str, int]]]:
    """Return the paragraphs, and the odd half of the questions, each with the place of its paragraph."""
    read = json.loads((shared / "benchmarks/korquad1-dev/KorQuAD_v1.0_dev.json").read_text("utf-8"))
    paragraphs: list[str] = []
    asked: list[tuple[str, int]] = []
    for paragraph in (one for article in read["data"] for one in article["paragraphs"]):
        asked += [
            (question["question"], len(paragraphs))
            for question in paragraph["qas"]
            if int(sha1(question["id"].encode()).hexdigest(), 16) % 2
        ]
        paragraphs.append(paragraph["context"])
    return paragraphs, asked


def recalls(best: Best, asked: Sequence[tuple[str, int]]) -> dict[int, float]:
    """Return the share of the questions whose paragraph is among the first, by depth."""
    found = [list(best(question)) for question, _ in asked]
    return {
        depth: sum(at in one[:depth] for one, (_, at) in zip(found, asked, strict=True))
        / len(asked)
        for depth in DEPTHS
    }


def morphemes() -> Cut | None:
    """Return what cuts Korean into nouns, verbs, modifiers, letters and digits; None without the analyser."""
    if find_spec("kiwipiepy") is None:
        return None
    from kiwipiepy import Kiwi

    analyser = Kiwi(num_workers=1)
    kept = ("N", "V", "M", "X", "SL", "SN", "SH")
    return lambda text: [
        str(one.form) for one in analyser.tokenize(text) if str(one.tag).startswith(kept)
    ]


def run(shared: Path) -> list[Row]:
    """Return one row a depth and baseline."""
    paragraphs, asked = korquad(shared)
    with tempfile.TemporaryDirectory() as place:
        index = Index.open(
            Path(place),
            key=bytes(32),
            embedder=UniversalSentenceEncoder(),
            tokeniser=WordsAndPairs(),
        )
        index.add(
            [Entry(at, 0, "claim", 1, text) for at, text in enumerate(paragraphs, 1)], applied=1
        )
        ours = recalls(
            lambda question: [
                one.node - 1
                for one in index.claims(question, scopes=SCOPE, limit=max(DEPTHS)).candidates
            ],
            asked,
        )
    cuts: dict[str, Cut] = {"BM25 between spaces": str.split}
    if (cut := morphemes()) is not None:
        cuts = {f"BM25, kiwipiepy {version('kiwipiepy')}": cut} | cuts
    else:
        print("kiwipiepy is not installed: no BM25 over morphemes", file=sys.stderr)
    rows: list[Row] = []
    for name, cut in cuts.items():
        plain = PlainBm25(paragraphs, cut)
        theirs = recalls(lambda question, plain=plain: plain.best(question, max(DEPTHS)), asked)
        rows += [
            measured("KorQuAD", f"paragraph R@{depth}", ours[depth], name, theirs[depth])
            for depth in DEPTHS
        ]
    return rows


if __name__ == "__main__":
    print(table(run(Path(sys.argv[1]) if sys.argv[1:] else shared_folder())))
