"""The small world on the command line: what others did changes no answer, no error, no count and no exit code."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from muniment import Memory, Session
from muniment.surfaces.cli import COMMANDS
from muniment.testing import HandClock, HandIds, flat_embedder

from .conftest import Run

SAID = "배포는 금요일. We deploy on Fridays. 예산은 quokka 5."
PAGE = "https://wiki.example/ops"
# Each command of a session with what it is tried with; IT is every identifier in turn. What changes most comes last.
TRIED: dict[str, tuple[tuple[str, ...], ...]] = {
    "show": (("IT",),),
    "attach": (("IT", "--model", "m", "--trace", "t-1"),),
    "why": (
        ("IT",),
        ("--text", "quokka glockenspiel"),
        ("IT", "--not", "IT"),
        ("IT", "--line", "1"),
    ),
    "compare": (("IT", "IT"),),
    "replay": (("IT",),),
    "trace": (("IT",),),
    "support": (("IT",),),
    "history": (("IT",),),
    "investigate": (("IT", "--out", "OUT"),),
    "diff": (("IT",),),
    "recall": (("quokka glockenspiel",), ("deploy", "--purpose", "act")),
    "assemble": (("quokka glockenspiel", "--connect"), ("deploy", "--lines")),
    "search-conversations": (("quokka glockenspiel",),),
    "weigh": (("deploy", "day"),),
    "claims": ((),),
    "block": ((),),
    "block-history": ((),),
    "review": ((),),
    "stale": ((),),
    "backdated": (("--by", "1m"),),
    "mutes": ((),),
    "requests": ((),),
    "state": ((),),
    "sensitive": ((),),
    "task": (("list", "--all"), ("add", "quokka 보고서"), ("done", "IT@7")),
    "procedure": (("list",), ("show", "IT"), ("export", "IT")),
    "change": (("IT@7",),),
    "retention": (("--dry-run",), ("list",)),
    "keep-as-quotation": (("IT@7",),),
    "approve-origin": (("IT", "--seen", "IT"),),
    "reject-origin": (("IT", "--seen", "IT"),),
    "mark-own": (("IT",),),
    "declare-sensitive": (("IT",),),
    "lift-sensitive": (("IT",),),
    "import": (("OUT.txt", "--origin", "file:notes"),),
    "erase-scope": (("--dry-run",),),
    "access": ((),),
    "export": ((), ("--prov",)),
    "message": (("We deploy on Mondays.",), ("We deploy.", "--replaces", "IT")),
    "tool-result": (("ci", "--field", "exit_code=0"),),
    "document": (("OUT.txt", "--origin", PAGE), ("OUT.txt", "--origin", PAGE, "--replaces", "IT")),
    "remember": (("x", "--source", "IT"),),
    "confirm": (("IT@7",),),
    "correct": (("IT@7", "x"),),
    "supersede": (("IT@7", "x"),),
    "retract": (("IT@7",),),
    "reinstate": (("IT@7",),),
    "challenge": (("IT", "x", "--source", "unheard-of"),),
    "regenerate": (("IT@7", "x", "--source", "IT"),),
    "revoke": (("IT",),),
    "give-back": (("IT",),),
    "approve": (("IT@7",),),
    "reject": (("IT@7",),),
    "endorse": (("IT",),),
    "mute": (("IT",),),
    "unmute": (("IT",),),
    "request-forget": (("IT",),),
    "decline-forget": (("IT",),),
    "rewrite-block": (("Call me quokka",), ("a line", "--source", "IT")),
    "put-back-block": (("IT",),),
    "accept-block": ((),),
    "decline-block": (("--yes",),),
    "clear-block": (("--yes",),),
    "set-secret": ((),),
    "pause": (("--session", "s1"),),
    "resume": (("--session", "s1"),),
    "erase": (("IT", "--yes"),),
}


def keeps(session: Session) -> dict[str, str]:
    """Let somebody say, read, remember and ask; return the identifiers of it."""
    said = session.message(SAID)
    page = session.document("Logs go to the hall. Use tabs.", origin=PAGE)
    session.tool_result("ci", {"exit_code": 0})
    kept = session.remember(
        "We deploy on Fridays.",
        kind="stated",
        sources=[said],
        subject="deploy",
        attribute="day",
        value="Friday",
    )
    session.remember("Use tabs.", kind="external", sources=[page])
    receipt = session.recall("quokka").receipt
    return {"claim": kept.id, "source": said.id, "receipt": receipt}


class World:
    """A store of the command line in which the system's user is 김대리 and nothing else."""

    def __init__(self, folder: Path, user: str, *, busy: bool) -> None:
        self.place, self.out = folder / "store", folder / "out"
        self.out.mkdir(parents=True)
        ids = HandIds("own")
        with Memory.open(
            self.place, ids=ids, clock=HandClock(), embedder=flat_embedder()
        ) as memory:
            kim = {"person": "김대리", "project": "apollo", "session": "s1"}
            self.own = keeps(memory.session(**kim))
            memory.session(**kim).rewrite_block("Call me 민지")
            ids.hand = "oth"
            if busy:
                self._others(memory)
            ids.hand = "own"  # what comes after the others stands at another place of the journal
            keeps(memory.session(**kim))
        (self.place / "store.toml").write_text(
            f'format = 1\n[host]\nusers = []\n[people]\n{json.dumps(user)} = "김대리"\n',
            encoding="utf-8",
        )

    def _others(self, memory: Memory) -> None:
        lee = memory.session(person="lee", project="apollo", session="s1")
        self.others = list(keeps(lee).values())
        lee.rewrite_block("Call me quokka")
        lee.mute(theme="quokka")
        said = lee.message("glockenspiel")
        self.others.append(lee.remember("glockenspiel", kind="stated", sources=[said]).id)
        lee.erase(self.others[-1])
        keeps(memory.session(person="김대리", project="zephyr", session="s1"))
        keeps(memory.session(agent="bot", project="apollo"))
        memory.set_account("lee", "paused")
        memory.hold(person="lee", reason="a case")

    def told(self, run: Run, command: str, given: tuple[str, ...], it: str, plain: bool) -> str:
        """Return all that a command tells, with what is random or of now left out."""
        text = self.out.parent / "page.txt"
        text.write_text("Use spaces.", encoding="utf-8")
        names = {"OUT": str(self.out / command / it), "OUT.txt": str(text)}
        words = [names.get(word, word.replace("IT", it)) for word in given]
        place = ("--store", str(self.place), "--project", "apollo")
        ran = run(command, *words, *place, *(() if plain else ("--json",)))
        whole = f"{ran.code}\n{ran.out}\n{ran.err}".replace(str(self.out.parent), "FOLDER")
        whole = re.sub(r'\{[^{}]*"type": "seal"[^{}]*\}', "SEAL", whole)
        whole = re.sub(r"muniment/default/[0-9a-f]{16}(\+[\w/+=]+)?", "KEY", whole)
        whole = re.sub(r"quotation [\w-]{22} ", "quotation KEY ", whole)
        whole = re.sub(r"2\d{3}-\d\d-\d\d[T ][0-9:.]+(\+00:00| UTC)?", _moment, whole)
        return whole


def _moment(found: re.Match[str]) -> str:
    """Return a moment of the world as it is, and any other as now."""
    return found[0] if found[0].startswith("2026-03-0") else "NOW"


def numbered(answers: Sequence[str]) -> list[str]:
    """Return answers with identifiers that were made by the way numbered as they come up."""
    known: dict[str, str] = {}
    return [
        re.sub(
            r"(?<![\w-])(?!own|oth)[\w-]{22}(?![\w-])",
            lambda found: known.setdefault(found[0], f"#{len(known)}"),
            answer,
        )
        for answer in answers
    ]


def trials(
    world: World, others: Sequence[str], *, every: bool
) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield every command with what it is tried with and on: all of others' things where reading, or where `every`."""
    for command, ways in TRIED.items():
        for given in ways:
            about_it = any("IT" in word for word in given)
            reads = command in ("show", "why", "trace", "support", "history", "investigate")
            own = [world.own["claim"]] if reads else []
            theirs = others if every or reads else others[:1]
            for it in (*own, *theirs) if about_it else ("",):
                yield command, given, it


def test_every_command_of_a_session_is_tried() -> None:
    of_sessions = {
        command.name
        for command in COMMANDS
        if any(call.startswith("Session.") for call in command.calls)
    }

    assert set(TRIED) == of_sessions


@pytest.mark.slow
@pytest.mark.parametrize(
    "plain",
    [
        pytest.param(False, id="json"),
        pytest.param(True, id="plain", marks=pytest.mark.exhaustive),
    ],
)
def test_what_others_did_changes_nothing_that_is_told(
    run: Run, tmp_path: Path, plain: bool, request: pytest.FixtureRequest
) -> None:
    user = str(run("init", "--store", str(tmp_path / "any"), "--json").json["user"])
    # Names of one length: a screen breaks its lines by it.
    busy, quiet = (
        World(tmp_path / name, user, busy=name == "crowd") for name in ("crowd", "quiet")
    )
    every = bool(request.config.getoption("--exhaustive"))
    asked = list(trials(quiet, busy.others if every else busy.others[::2], every=every))

    told = [numbered([world.told(run, *one, plain) for one in asked]) for world in (quiet, busy)]

    differing = [
        f"{command} {' '.join(given)} {it}:\n--- quiet\n{one[:400]}\n--- busy\n{other[:400]}"
        for (command, given, it), one, other in zip(asked, *told, strict=True)
        if one != other
    ]
    assert differing == [], "\n".join([f"{len(differing)} of {len(asked)} differ", *differing[:12]])
    assert sum(one.startswith("0\n") for one in told[0]) > 20
    assert not any(one.startswith("70\n") for one in told[0])
