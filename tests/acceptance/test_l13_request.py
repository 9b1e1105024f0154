"""L13: a person's request covers what others said of her; a human decides each line, and it goes in one go."""

import importlib.util
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muniment import InvalidError, Memory, RefusedError, Request, RequestLine
from muniment.claims import Naming
from muniment.testing import findings, word_findings

TOOL = Path(__file__).resolve().parents[2] / "tools" / "verify_bundle.py"
Open = Callable[..., Memory]
Edit = Callable[[list[dict[str, Any]]], list[str]]


@pytest.fixture
def memory(quick: Open) -> Memory:
    """A store in which 민지 said something, and others spoke of her and of other things."""
    memory = quick()
    minji = memory.session(person="민지")
    minji.remember("나는 서울에 산다", kind="stated", sources=[minji.message("나는 서울에 산다")])
    room = memory.session(person="민지", channel="ops")
    room.message("내일 쉬어요")
    lee, bot = memory.session(person="lee"), memory.session(person="lee", agent="bot")
    said = lee.message("민지가 다음 달에 회사를 그만둔대. Minji told me herself.")
    told = bot.remember("민지 leaves the company next month", sources=[said])
    bot.remember("somebody leaves next month", sources=[told])
    park = memory.session(person="park", project="apollo")
    page = park.document(
        "# Team\nMIN-JI Kim leads ops.\nLee leads sales.", origin="https://wiki.example"
    )
    park.remember(
        "leads ops", kind="external", sources=[page], subject="Kim Min-Ji", attribute="role"
    )
    park.message("민지윤 씨 말고 서비스 이야기야. We deploy on Fridays.")
    bot.recall("민지는 언제 그만둬?")
    return memory


def gathered(memory: Memory, *aliases: str) -> Request:
    """Return the list of 민지, known by other names too."""
    return memory.request("민지", aliases=["Minji", "Min-Ji Kim", "Kim Min-Ji", *aliases])


def decided(request: Request, decide: Callable[[RequestLine], str]) -> list[RequestLine]:
    """Return the lines of a request, each decided."""
    return [one.model_copy(update={"decision": decide(one)}) for one in request.lines]


def everything(memory: Memory) -> dict[str, bytes]:
    """Return every byte of the store's record."""
    folder = memory.store.folder
    files = [folder / "head", *(folder / "journal").iterdir(), *(folder / "keys").iterdir()]
    return {str(one): one.read_bytes() for one in files}


# --- finding her ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "is_there"),
    [
        ("민지", "민지가 왔다", True),
        ("민지", "어제 민지는 쉬었다", True),
        ("민지", "민지에게서도 들었다", True),
        ("민지", "민지 씨, 민지씨가요", True),
        ("민지", "김민지 팀장님께는 말했어?", True),
        ("민지", "그 사람 민지예요", True),
        ("민지", "민지잖아요", True),
        ("민지", "왜냐면 민지니까", True),
        ("민지", "민지도요", True),
        ("민지", "민지래", True),
        ("민지", "민지와 수진이", True),
        ("민지", "\u1106\u1175\u11ab\u110c\u1175\u1100\u1161 왔다", True),
        ("민준", "민준이가 그랬다", True),
        ("민준", "민준이었다", True),
        ("민지", "서민지원 사업", False),
        ("민지", "국민지원금을 받았다", False),
        ("민지", "민지혜숙을 만났다", False),
        ("Kim", "KIM's laptop", True),
        ("Kim", "Kim은 휴가다", True),
        ("Kim", "kimono", False),
        ("Kim", "the kim_lee account", True),
        ("Minji Lee", "ask minji-lee", True),
        ("Minji Lee", "ask Minji and Lee", False),
        ("J.P.", "said j p yesterday", True),
    ],
)
def test_a_name_is_found_with_what_is_written_onto_it(name: str, text: str, is_there: bool) -> None:
    assert bool(Naming([name]).found_in(text)) is is_there


def test_the_list_holds_what_others_said_of_her_and_writes_nothing(memory: Memory) -> None:
    memory.store.post()
    before, seq = everything(memory), memory.store.state.seq

    request = gathered(memory)

    assert (everything(memory), memory.store.state.seq) == (before, seq)
    assert [(one.sort, one.whose, one.found) for one in request.lines] == [
        ("person", "민지", ()),
        ("source", "lee", ("민지", "Minji")),
        ("source", "park", ("Min-Ji Kim",)),
        ("claim", "lee", ("민지",)),
        ("claim", "park", ("Kim Min-Ji",)),
    ]
    own, said, page, told, role = request.lines
    assert "2 sources, 1 claims" in own.words
    assert said.author == "lee" and len(said.takes) == 2 and said.takes[0] == told.id
    assert page.medium == "document" and role.words == "Kim Min-Ji"
    assert [(one.line, one.of) for one in request.lines] == [(at, 5) for at in range(1, 6)]
    assert {one.decision for one in request.lines} == {""}
    assert any(note.startswith("1 questions") for note in request.notes)


def test_of_a_long_text_the_sentences_that_name_her_are_listed(quick: Open) -> None:
    memory = quick()
    filler = "이것은 다른 이야기다. " * 100
    memory.session(person="lee").message(f"{filler}민지는 여기 있다. {filler}")

    (line,) = memory.request("민지").lines

    assert line.words == "민지는 여기 있다."


def test_somebody_nobody_knows_gives_an_empty_list(memory: Memory) -> None:
    assert memory.request("지우").lines == ()
    for wrong in ("", "!!", "\u200b"):
        with pytest.raises(InvalidError):
            memory.request(wrong)
    with pytest.raises(InvalidError):
        memory.request("민지", aliases="Minji")


def test_no_session_gives_the_list() -> None:
    from muniment import Session

    assert not hasattr(Session, "request") and not hasattr(Session, "apply_request")


# --- deciding -------------------------------------------------------------------------------------------------


def test_what_was_decided_goes_in_one_go_with_one_certificate(memory: Memory) -> None:
    request = gathered(memory)
    own, said, page, told, role = request.lines
    lines = decided(request, lambda one: "keep" if one in (page, role) else "erase")

    plan = memory.apply_request(lines, dry_run=True)
    assert plan.certificate is None and not plan.erasure.id
    applied = memory.apply_request(lines, "objection", reason="her letter of May")

    erasure, made = applied.erasure, applied.certificate
    assert made is not None and made.absent
    assert (erasure.sort, erasure.basis, applied.kept) == ("request", "objection", 2)
    assert (erasure.sources, erasure.claims) == (plan.erasure.sources, plan.erasure.claims)
    assert {said.id} < set(erasure.sources) and {told.id, *said.takes} <= set(erasure.claims)
    assert json.loads(made.text)["erasure"]["targets"] == [own.id, said.id, told.id]
    assert memory.store.state.erasures == [memory.store.state.ids[erasure.id]]
    assert [one.id for one in gathered(memory).lines] == [page.id, role.id]
    left = "\n".join(memory.session(person="lee").export())
    assert "민지" not in left and "somebody leaves" not in left
    assert findings(memory) == ()
    tool = verifier()
    assert tool.verify(made.text, memory.signer.key) == []


def verifier() -> Any:
    """Return the stand-alone verifier."""
    spec = importlib.util.spec_from_file_location("verify_bundle", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_certificate_holds_no_word_of_it(memory: Memory) -> None:
    lines = decided(gathered(memory), lambda one: "erase")

    made = memory.apply_request(lines).certificate

    assert made is not None
    text = made.text + json.dumps(json.loads(made.text), ensure_ascii=False)
    assert [word for word in ("민지", "Min", "lee", "park", "leads") if word in text] == []
    assert any("list that was decided" in line for line in made.undetermined)


def test_to_keep_everything_destroys_nothing(memory: Memory) -> None:
    seq = memory.store.state.seq

    applied = memory.apply_request(decided(gathered(memory), lambda one: "keep"))

    assert (applied.kept, applied.decided, applied.certificate) == (5, 5, None)
    assert memory.store.state.seq == seq


def edited(place: int, **changes: object) -> Edit:
    """Return what changes fields of one line and gives all lines as text."""

    def edit(lines: list[dict[str, Any]]) -> list[str]:
        lines[place] |= changes
        return [json.dumps(line) for line in lines]

    return edit


EDITS: tuple[tuple[Edit, str], ...] = (
    (edited(1, decision=""), "line 2: it is undecided"),
    (edited(1, decision=" erase"), "line 2: ' erase' is no decision"),
    (edited(1, decision="redact"), "line 2: redact is not offered"),
    (edited(3, decision="yes"), "line 4: 'yes' is no decision"),
    (edited(2, id="AAAAAAAAAAAAAAAAAAAAAA"), "line 3: there is no source"),
    (edited(2, sort="claim"), "line 3: there is no claim"),
    (edited(0, id="AAAAAAAAAAAAAAAAAAAAAA"), "line 1: there is no person"),
    (edited(3, version=7), "line 4: "),
    (edited(3, found=["지우"]), "does not mention 지우"),
    (edited(3, found=[]), "does not mention anybody"),
    (edited(3, of=4), "line 4: it is of another request"),
    (edited(3, line=2), "line 4: it is line 2 of the request, which stands here twice"),
    (edited(2, more="x"), "line 3: it is no line of a request any more: look at more"),
    (lambda lines: ["{", *map(json.dumps, lines[1:])], "line 1: it is no JSON"),
    (lambda lines: ["3", *map(json.dumps, lines[1:])], "line 1: it is no line of a request"),
    (lambda lines: [json.dumps(one) for one in lines[:-1]], "line 5 of 5 is missing"),
    (lambda lines: [], "no line to apply"),
)


@pytest.mark.parametrize(("edit", "told"), EDITS)
def test_an_undecided_or_unknown_line_is_named_and_nothing_changes(
    memory: Memory, edit: Edit, told: str
) -> None:
    lines = decided(gathered(memory), lambda one: "erase")
    memory.store.post()
    before = everything(memory)

    with pytest.raises(InvalidError) as caught:
        memory.apply_request(edit([one.model_dump(mode="json") for one in lines]))

    assert told in str(caught.value)
    assert everything(memory) == before


def test_what_changed_since_it_was_listed_is_not_destroyed_unseen(memory: Memory) -> None:
    lines = decided(gathered(memory), lambda one: "erase")
    lee = memory.session(person="lee")
    lee.confirm(lee.claim(lines[3].id))

    with pytest.raises(InvalidError, match="line 4: .* is at version 2, listed was 1"):
        memory.apply_request(lines)
    lee.erase(lines[1].id)
    with pytest.raises(InvalidError, match="line 2: .*; line 4: "):
        memory.apply_request(lines)


def test_what_is_on_legal_hold_is_shown_and_blocks_the_whole(memory: Memory) -> None:
    told = gathered(memory).lines[3]
    memory.hold(told.id, "소송")
    request = gathered(memory)
    assert [one.on_legal_hold for one in request.lines] == [False, False, False, True, False]
    lines = decided(request, lambda one: "keep" if one.id == told.id else "erase")

    assert memory.apply_request(lines, dry_run=True).erasure.held == (told.id,)
    with pytest.raises(RefusedError, match=told.id):  # by way of the message it was drawn from
        memory.apply_request(lines)
    assert memory.store.state.erasures == []
    memory.release(told.id)
    assert memory.apply_request(lines).certificate is not None


def test_a_line_of_anothers_block_is_decided_by_itself(quick: Open) -> None:
    memory = quick()
    lee = memory.session(person="lee")
    lee.rewrite_block("서울에 산다\n민지가 옆자리에 앉는다\nlikes tea")
    memory.session(person="민지").rewrite_block("민지: tea")

    own, line = memory.request("민지").lines
    assert (own.sort, line.sort, line.medium, line.whose) == ("person", "line", "block", "lee")
    assert line.words == "민지가 옆자리에 앉는다"
    applied = memory.apply_request(
        [
            own.model_copy(update={"decision": "keep"}),
            line.model_copy(update={"decision": "erase"}),
        ]
    )

    assert [one.text for one in lee.block().lines] == ["서울에 산다", "likes tea"]
    assert memory.session(person="민지").block().text == "민지: tea"
    made = applied.certificate
    assert made is not None and made.absent and applied.erasure.lines == 1
    assert verifier().verify(made.text, memory.signer.key) == []
    with pytest.raises(InvalidError, match="line 2: there is no line"):
        memory.apply_request([one.model_copy(update={"decision": "keep"}) for one in (own, line)])
    with pytest.raises(RefusedError):  # what was erased does not come back by a machine
        memory.session(person="lee", agent="bot").rewrite_block("민지가 옆자리에 앉는다")
    assert findings(memory) == ()


# --- the command line -----------------------------------------------------------------------------------------


def test_on_the_command_line(memory: Memory, tmp_path: Path) -> None:
    memory.close()
    listed, paper = tmp_path / "list.jsonl", tmp_path / "paper.json"

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        program = "import sys; from muniment.surfaces.cli import main; sys.exit(main())"
        return subprocess.run(
            [sys.executable, "-c", program, "request", *words, "--store", str(tmp_path / "store")],
            capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip

    ran = run("민지", "--alias", "Minji", "--alias", "Min-Ji Kim", "--out", str(listed))
    assert (ran.returncode, "4 lines to decide" in ran.stdout) == (0, True), ran
    assert stat.S_IMODE(listed.stat().st_mode) == 0o600
    assert run("민지", "--out", str(listed)).returncode == 2
    assert run("민지", "--out", str(tmp_path / "store" / "list")).returncode == 2
    for words in (
        (),
        ("민지",),
        ("민지", "--apply", str(listed)),
        ("--apply", str(listed), "--yes"),
    ):
        assert run(*words).returncode == 2, words
    undecided = run("--apply", str(listed), "--certificate", str(paper), "--yes")
    assert (undecided.returncode, paper.exists()) == (2, False)
    assert "line 1: it is undecided" in undecided.stderr and "line 4: " in undecided.stderr

    lines = [json.loads(line) for line in listed.read_text("utf-8").splitlines()]
    whole = [json.dumps({**line, "decision": "erase"}, ensure_ascii=False) for line in lines]
    listed.write_text("\ufeff" + "\r\n".join(whole) + "\n\n", encoding="utf-8")
    assert run("--apply", str(listed), "--dry-run").returncode == 0
    ran = run("--apply", str(listed), "--certificate", str(paper), "--yes")
    assert (ran.returncode, "destroy it" in ran.stdout) == (0, True), ran
    told = subprocess.run(
        [sys.executable, str(TOOL), str(paper)], capture_output=True, text=True, check=False
    )
    assert told.returncode == 14 and told.stdout.startswith(
        "INCOMPLETE\n  INCOMPLETE: no public key"
    )


def test_why_others_held_revoked_muted_or_erased_is_decided_too(quick: Open) -> None:
    memory = quick()
    lee = memory.session(person="lee")
    page = lee.document("Office hours are 9 to 5.", origin="https://wiki.example")
    claim = lee.remember("Office hours are 9 to 5.", kind="external", sources=[page])
    lee.revoke(page, reason="민지가 고친 문서라서")
    lee.give_back(page, reason="it was fine")
    memory.hold(claim, "민지 씨 소송 canarylawsuit")
    lee.mute(theme="민지 생일 canarybirthday")
    lee.erase(lee.message("A line."), reason="because 민지 asked canaryasked")

    request = memory.request("민지")

    assert [(one.sort, one.medium) for one in request.lines] == [
        ("reason", "access"),
        ("reason", "hold"),
        ("reason", "mute"),
        ("reason", "erase"),
    ]
    assert {one.author for one in request.lines} == {"lee", ""}
    lines = decided(request, lambda one: "keep" if one.medium == "access" else "erase")
    applied = memory.apply_request(lines)
    assert applied.certificate is not None and applied.certificate.absent
    (left,) = memory.request("민지").lines
    assert left.medium == "access" and memory.holds()[0].reason == ""
    assert lee.claim(claim.id).on_legal_hold
    assert lee.recall("office hours").evidence and findings(memory) == ()
    memory.close()
    assert word_findings(memory.path, ["canarylawsuit", "canarybirthday", "canaryasked"]) == ()
