"""L05: a legal hold blocks erasing visibly, on every way, until it is released; it blocks nothing else."""

import ast
import json
import os
import pwd
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from muniment import Hold, InvalidError, Memory, NotFoundError, RefusedError, Session, Source
from muniment.claims import HoldRecord
from muniment.testing import findings

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "verify_bundle.py"
WORDS = "금고 번호는 47118352, the vault code."
WHY = "litigation against Pinetide 소송"
Open = Callable[..., Memory]


def stated(session: Session, text: str = WORDS) -> tuple[Source, str]:
    """Let a person say and remember something; return the message and the claim's identifier."""
    said = session.message(text)
    return said, session.remember(text, kind="stated", sources=[said]).id


def refused(attempt: Callable[[], object]) -> str:
    """Return what an attempt that must be refused by the hold is told."""
    with pytest.raises(RefusedError) as caught:
        attempt()
    assert caught.value.decision.rule == "ON_LEGAL_HOLD"
    return str(caught.value)


def test_a_held_claim_is_not_erased_by_any_way_and_says_so(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim", session="monday")
    said, claim = stated(kim)
    hold = memory.hold(claim, WHY)

    assert (hold.target, hold.reason, hold.released) == (claim, WHY, False)
    assert memory.holds() == (hold,)
    record = memory.store.header(memory.store.state.ids[hold.id])
    assert isinstance(record, HoldRecord)
    assert record.decision.rule == "MAY_HOLD"
    assert kim.claim(claim).on_legal_hold and not kim.source(said.id).on_legal_hold
    assert next(kim.claims()).on_legal_hold
    ways: tuple[Callable[[], object], ...] = (
        lambda: kim.erase(claim),
        lambda: kim.erase(said),
        lambda: kim.erase_conversation("monday"),
        lambda: memory.erase(claim),
        lambda: memory.erase(said.id),
        lambda: memory.erase_person("kim"),
    )
    for way in ways:
        told = refused(way)
        assert claim in told and WHY not in told
        last = memory.store.header(memory.store.state.seq)
        assert (last.op, getattr(last, "verb", "")) == ("refusal", "erase")
    assert kim.claim(claim).words == WORDS and kim.source(said.id).text == WORDS

    assert memory.release(claim, "settled").released
    assert memory.holds() == () and not kim.claim(claim).on_legal_hold
    assert kim.erase(said).claims == (claim,)
    assert findings(memory) == ()


def test_a_dry_run_shows_what_is_held(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said, claim = stated(kim)
    summary = kim.remember("there is a vault", sources=[claim])
    memory.hold(summary, WHY)

    plan = kim.erase(said, dry_run=True)

    assert plan.held == (summary.id,) and plan.claims == (claim, summary.id)
    assert kim.erase(kim.message("else"), dry_run=True).held == ()
    assert summary.id in refused(lambda: kim.erase(said))


def test_the_taint_of_another_source_is_kept_from_a_held_wording(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    first, second = kim.message("금고는 뒤에 있다"), kim.message("The vault is behind.")
    claim = bot.remember("a vault", sources=[first])
    assert bot.remember("A vault", sources=[second]).id == claim.id
    memory.hold(claim, WHY)

    # The claim would survive, yet one wording of it would not.
    assert kim.erase(second, dry_run=True).survivors
    assert claim.id in refused(lambda: kim.erase(second))


def test_a_person_is_held_with_all_that_is_hers(quick: Open) -> None:
    memory = quick()
    kim, lee = memory.session(person="김민지"), memory.session(person="lee")
    said, claim = stated(kim)
    room = memory.session(person="김민지", channel="ops")
    there = room.message("오늘 배포해요")
    page = lee.document("오늘 배포해요", origin="https://wiki.example")
    hold = memory.hold(person="김민지", reason=WHY)

    assert kim.claim(claim).on_legal_hold and room.source(there.id).on_legal_hold
    for thing in (said.id, claim, there.id):
        assert thing in refused(partial(memory.erase, thing))
    refused(lambda: memory.erase_person("김민지"))
    assert lee.erase(page).sources == (page.id,)
    assert memory.release(person="김민지").id == hold.id
    assert memory.erase_person("김민지").held == ()


def test_questions_of_a_held_person_do_not_go_with_what_another_erases(quick: Open) -> None:
    memory = quick()
    lee = memory.session(person="lee", channel="ops")
    kim = memory.session(person="kim", channel="ops")
    said = lee.message(WORDS)
    kim.remember(WORDS, kind="external", sources=[said])
    receipt = kim.recall(WORDS).receipt
    memory.hold(person="kim", reason=WHY)

    refused(lambda: memory.erase(said.id))

    assert kim.why(receipt).question == WORDS


def test_the_block_of_a_held_person_is_kept(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said = memory.session(person="kim", channel="ops").message("likes green tea")
    kim.rewrite_block("likes green tea\n차를 좋아함")
    memory.hold(person="kim", reason=WHY)

    assert len(kim.clear_block(dry_run=True).held) == 1
    refused(lambda: kim.clear_block())
    last = memory.store.header(memory.store.state.seq)
    assert (last.op, getattr(last, "verb", "")) == ("refusal", "clear_block")
    refused(lambda: memory.erase(said.id))
    assert len(kim.block().lines) == 2
    memory.release(person="kim")
    assert kim.clear_block().lines == 2


def test_it_blocks_neither_correcting_nor_retracting(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    _, claim = stated(kim)
    _, other = stated(kim, "We deploy on Fridays.")
    for thing in (claim, other):
        memory.hold(thing, WHY)

    again = kim.message("금고 번호는 0815.")
    new = kim.correct(kim.claim(claim), again.text, sources=[again])
    gone = kim.retract(kim.claim(other))

    assert (kim.claim(claim).standing, gone.standing) == ("corrected", "retracted")
    assert kim.claim(claim).on_legal_hold and gone.on_legal_hold and not new.on_legal_hold
    refused(lambda: kim.erase(claim))


def test_each_hold_is_released_by_itself(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    _, claim = stated(kim)
    first, second = memory.hold(claim, WHY), memory.hold(claim, "another matter")

    with pytest.raises(InvalidError, match=first.id):
        memory.release(claim)
    assert memory.release(first).released
    refused(lambda: kim.erase(claim))
    assert memory.release(second.id).id == second.id
    with pytest.raises(NotFoundError):
        memory.release(claim)
    assert kim.erase(claim).claims == (claim,)
    with pytest.raises(NotFoundError):
        memory.hold(claim, WHY)


@pytest.mark.parametrize(
    ("thing", "person", "reason", "error"),
    [
        ("", "", WHY, InvalidError),
        ("x", "kim", WHY, InvalidError),
        ("nowhere", "", WHY, NotFoundError),
        ("", "nobody", WHY, NotFoundError),
        ("", "kim", "", InvalidError),
    ],
)
def test_what_cannot_be_held_is_said(
    quick: Open, thing: str, person: str, reason: str, error: type[Exception]
) -> None:
    memory = quick()
    memory.session(person="kim").message("something")
    before = memory.store.state.seq
    with pytest.raises(error):
        memory.hold(thing, reason, person=person)
    assert memory.store.state.seq == before


def test_it_survives_opening_and_rebuilding_and_holds_no_words(quick: Open, tmp_path: Path) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said, claim = stated(kim)
    memory.hold(claim, WHY)
    released = memory.hold(said, "short")
    memory.release(released)
    assert memory.rebuild() and memory.verify().findings == ()
    memory.close()
    raw = b"".join(one.read_bytes() for one in (tmp_path / "store").rglob("*") if one.is_file())
    assert WHY.encode() not in raw

    (tmp_path / "store" / "default" / "lineage.duckdb").unlink()
    for _ in range(2):  # from the journal alone, then from the graph made of it
        memory = quick()
        kim = memory.session(person="kim")
        assert [one.target for one in memory.holds()] == [claim]
        assert not kim.source(said.id).on_legal_hold
        refused(partial(memory.erase, said.id))
        memory.close()
    with quick(read_only=True) as memory:
        assert memory.session(person="kim").claim(claim).on_legal_hold


def test_erasing_a_person_takes_the_reasons_along(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    _, claim = stated(kim)
    hold = memory.hold(claim, "kim is being sued")
    memory.release(hold, "kim is not sued any more")

    memory.erase_person("kim")

    state = memory.store.state
    about = [memory.store.header(seq) for seq, _ in state.holdings]
    assert {seal.slot for one in about for seal in one.seals} <= state.destroyed


def nothing_held(*_: object) -> tuple[str, ...]:
    """Stand for code that looks for no hold."""
    return ()


@pytest.mark.parametrize("bypassed", [False, True])
def test_the_verifier_knows_it(
    quick: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bypassed: bool
) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said, held = stated(kim)
    memory.hold(held, WHY)
    _, claim = stated(kim, "We deploy on Fridays.")
    if bypassed:  # whoever runs other code over the store is found out by the records
        monkeypatch.setattr("muniment.lineage.erasing._held", nothing_held)
        kim.erase(said)
    bundle = tmp_path / "bundle.json"
    bundle.write_text(kim.investigate(claim).bundle, encoding="utf-8")

    told = subprocess.run(
        [sys.executable, str(TOOL), str(bundle), "--key", memory.signer.key],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    wanted = f"destroyed {held}, which was on legal hold" if bypassed else "OK"
    assert (told.returncode, wanted in told.stdout) == (11 if bypassed else 0, True), told


def test_every_way_of_destroying_asks_for_holds() -> None:
    """Only `_write` makes an erasure's record, and whoever calls it has looked for holds.

    A restore does again what was done when nothing held it; a whole tenant asks by itself.
    """
    makers: set[str] = set()
    callers: dict[str, set[str]] = {}
    for room in ("lineage", "muniment", "retrieval", "conversations"):
        for source in (ROOT / room).glob("*.py"):
            for function in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
                if isinstance(function, ast.FunctionDef):
                    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
                    given = {ast.unparse(word) for call in calls for word in call.args}
                    named = {ast.unparse(call.func) for call in calls}
                    if "EraseRecord" in given and "store.add" in named:
                        makers.add(f"{room}/{source.name}:{function.name}")
                    if "_write" in named and source.name == "erasing.py":
                        callers[function.name] = named

    assert makers == {
        "lineage/erasing.py:_write",
        "lineage/restoring.py:do_again",
        "lineage/restoring.py:_erase_again",
    }
    assert set(callers) == {"erase", "clear_block"}
    assert all("_held" in named for named in callers.values())


def test_on_the_command_line(quick: Open, tmp_path: Path) -> None:
    memory = quick()
    user = pwd.getpwuid(os.geteuid()).pw_name
    said, claim = stated(memory.session(person=user))
    memory.close()

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        program = "import sys; from muniment.surfaces.cli import main; sys.exit(main())"
        return subprocess.run(
            [sys.executable, "-c", program, *words, "--store", str(tmp_path / "store")],
            capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip

    held = json.loads(run("hold", f"{claim}@1", "--reason", WHY, "--json").stdout)
    assert Hold.model_validate(held).target == claim
    assert WHY in run("hold").stdout
    assert "on legal hold" in run("show", claim).stdout
    assert f"{claim} is on legal hold" in run("erase", said.id, "--dry-run").stdout
    blocked = run("erase", said.id, "--yes")
    assert (blocked.returncode, "ON_LEGAL_HOLD" in blocked.stderr) == (4, True)
    assert run("hold", "--release").returncode == 2
    assert run("hold", claim, "--release").returncode == 0
    assert "Nothing" in run("hold").stdout
    assert run("erase", said.id, "--yes").returncode == 0
