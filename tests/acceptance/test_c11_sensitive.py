"""C11: what is declared sensitive lies under a key and an index of its own, and answers only its owner."""

import json
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment import (
    Answer,
    CallableEmbedder,
    InvalidError,
    KeysError,
    Memory,
    NotFoundError,
    RefusedError,
    Sensitivity,
    Session,
)
from muniment.claims import SensitiveRecord
from muniment.retrieval import Index, UniversalSentenceEncoder
from muniment.testing import findings, flat_embedder

from .conftest import Kept

Open = Callable[..., Memory]
APART = 'format = 1\n[[sensitive]]\nproject = "diary"\n'
SAID = (
    ("I started taking sertralinequux for my low spirits.", "fact"),
    ("요즘 상담쿼카뷁선생님을 매주 만난다.", "fact"),
    ("I must never eat peanutzzyx again.", "constraint"),
    ("저는 조용한 방을 좋아해요.", "preference"),
    ("회의 후에는 항상 walk를 나간다, it helps.", "decision"),
    ("My sister Minseo lives in Busan.", "fact"),
    ("민서는 부산에서 빵집을 한다.", "fact"),
)
CANARIES = ("sertralinequux", "상담쿼카뷁선생님", "peanutzzyx")
QUESTIONS = (
    "what medicine do I take?",
    "상담은 언제 하지?",
    "what can I eat?",
    "민서는 어디 살아?",
    "회의 후 walk",
    "Busan",
    "조용한 방",
)


def with_policy(opening: Open, text: str, name: str = "store", **options: Any) -> Memory:
    """Return a store whose policy file holds a text."""
    first = opening(name, **options)
    first.close()
    (first.path / "policy.toml").write_text(text, encoding="utf-8")
    return opening(name, **options)


def tell(session: Session) -> None:
    """Let a person say and keep everything there is."""
    for text, category in SAID:
        said = session.message(text)
        session.remember(text, kind="stated", category=category, sources=[said])


def rule_of(memory: Memory, record: int) -> str:
    """Return the rule by which something was declared."""
    header = memory.store.header(record)
    assert isinstance(header, SensitiveRecord)
    return header.decision.rule


def seen(answer: Answer, digits: int = 4) -> list[object]:
    """Return what an answer gave, in order, but for identifiers, and what it withheld."""
    given_out: list[object] = [
        (
            item.claim.words,
            item.use,
            round(item.score, digits),
            [(reason.code, round(reason.score, digits)) for reason in item.reasons],
            item.rules,
            item.independent,
        )
        for item in answer.evidence
    ]
    return [*given_out, answer.searched, [(one.rule, one.count) for one in answer.withheld]]


def roughly(answer: Answer) -> list[object]:
    """Return what an answer gave, scores to two digits: texts embedded together differ in the last ones."""
    return seen(answer, 2)


def contents(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield every file of a folder, as it is and, where a compressed stream begins in it, unpacked."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            raw = path.read_bytes()
            yield path, raw
            for start in (at for at in range(len(raw) - 1) if raw[at] == 0x78):
                if raw[start + 1] in (0x01, 0x5E, 0x9C, 0xDA):
                    try:
                        yield path, zlib.decompressobj().decompress(raw[start:])
                    except zlib.error:
                        continue


def holding(folder: Path, *needles: bytes) -> set[str]:
    """Return the names of the files in which one of some byte strings stands."""
    return {path.name for path, raw in contents(folder) if any(needle in raw for needle in needles)}


def vector_of(embedder: Any, text: str) -> tuple[bytes, ...]:
    """Return the beginning of a text's vector in the widths it may be kept in."""
    vector: npt.NDArray[np.float32] = np.asarray(embedder.embed([text])[0], np.float32)[:8]
    return vector.astype(np.float16).tobytes(), vector.astype(np.float32).tobytes()


# --- the row as it is accepted --------------------------------------------------------------------------------


def test_the_owners_recall_equals_an_ordinary_scopes(
    quick: Open, encoder: UniversalSentenceEncoder
) -> None:
    memory = with_policy(quick, APART, embedder=encoder)
    apart = memory.session(person="kim", project="diary")
    plain = memory.session(person="kim", project="notes")
    tell(apart)
    tell(plain)

    def compare(memory: Memory) -> None:
        apart = memory.session(person="kim", project="diary")
        plain = memory.session(person="kim", project="notes")
        for question in QUESTIONS:
            for purpose in ("answer", "personalise", "act", "instruct"):
                found = [one.recall(question, purpose=purpose) for one in (apart, plain)]
                assert seen(found[0]) == seen(found[1]), question
            turns = [one.search_conversations(question) for one in (apart, plain)]
            assert [(hit.excerpt, hit.score) for hit in turns[0].hits] == [
                (hit.excerpt, hit.score) for hit in turns[1].hits
            ]

    compare(memory)
    memory.close()
    memory = quick(embedder=encoder)  # from the files, not from memory
    compare(memory)
    assert memory.rebuild()
    compare(memory)


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    texts=st.lists(
        st.text("가나다라마바사아 abcdefg 12", min_size=3, max_size=24).filter(
            lambda text: bool(text.strip())
        ),
        min_size=1,
        max_size=6,
        unique=True,
    ),
    question=st.text("가나다라마바사아 abcdefg 12", min_size=1, max_size=12).filter(str.strip),
)
def test_whatever_is_kept_it_is_found_alike(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], question: str
) -> None:
    path = tmp_path_factory.mktemp("apart") / "store"
    Memory.open(path, embedder=flat_embedder()).close()
    (path / "policy.toml").write_text(APART, encoding="utf-8")
    for _ in range(2):
        with Memory.open(path, embedder=flat_embedder()) as memory:
            sessions = [memory.session(person="kim", project=name) for name in ("diary", "notes")]
            for text in texts:
                for session in sessions:
                    session.remember(text, sources=[session.message(text)])
            first, second = (seen(session.recall(question)) for session in sessions)
            assert first == second


def test_another_principal_finds_nothing(quick: Open) -> None:
    memory = with_policy(quick, APART)
    kim = memory.session(person="kim", project="diary")
    tell(kim)
    kim.rewrite_block("Call me 민지")
    claims, receipt = list(kim.claims()), kim.recall("medicine").receipt
    source = kim.source(claims[0].citations[0].id)

    for other in (
        memory.session(person="park", project="diary"),
        memory.session(agent="helper", project="diary"),
        memory.session(person="kim", project="diary", agent="helper"),
        memory.session(project="diary"),
    ):
        for question in QUESTIONS:
            assert other.recall(question).evidence == ()
            assert other.recall(question, need="I need it").evidence == ()
            assert other.search_conversations(question).hits == ()
        assert list(other.claims()) == []
        assert {json.loads(line)["type"] for line in other.export()} <= {
            "muniment",
            "block",
            "seal",
        }
        for unknown in ("AaIuZrh8c16IdSVVxvClHA", claims[0].id):  # answered alike
            with pytest.raises(NotFoundError):
                other.claim(unknown)
        attempts: list[Callable[[str], object]] = [
            other.why,
            other.replay,
            other.source,
            other.trace,
        ]
        for attempt, named in zip(
            attempts, (receipt, receipt, source.id, claims[0].id), strict=True
        ):
            with pytest.raises((NotFoundError, InvalidError)):
                attempt(named)


def test_no_file_holds_the_words_nor_their_vectors(
    quick: Open, encoder: UniversalSentenceEncoder, caplog: pytest.LogCaptureFixture
) -> None:
    memory = with_policy(quick, APART, embedder=encoder)
    kim = memory.session(person="kim", project="diary")
    notes = memory.session(person="kim", project="notes")
    tell(kim)
    open_words = "The harbour is closed on plumquixday."
    notes.remember(open_words, kind="stated", sources=[notes.message(open_words)])
    for question in (*CANARIES, *QUESTIONS):
        kim.recall(question)
        kim.search_conversations(question)
    medicine = kim.recall("medicine").evidence[0].claim
    kim.retract(medicine, reason="sertralinequux is over")
    notes.recall("harbour")
    memory.close()

    words = [canary.encode(form) for canary in CANARIES for form in ("utf-8", "utf-16-le")]
    vectors = [one for text, _ in SAID for one in vector_of(encoder, text)]
    assert holding(memory.path, *words, *vectors) == set()
    assert not any(canary in caplog.text for canary in CANARIES)
    # Of an ordinary scope the vector stands in the table: the search would have found it.
    assert holding(memory.path, *vector_of(encoder, open_words)) != set()
    # Nor does the table say of a sensitive scope how often which word occurs.
    rows = memory.path / "default" / "index.lance" / "rows.lance"
    assert sum(path.stat().st_size for path in rows.rglob("*.lance")) < 20_000
    assert {path.name.partition("-")[0] for path in (rows.parent / "sealed").iterdir()} == {
        "claim",
        "turn",
    }


def test_the_owners_constraint_is_always_on(quick: Open) -> None:
    memory = with_policy(quick, APART)
    kim = memory.session(person="kim", project="diary")
    tell(kim)

    found = kim.recall("where shall we have dinner with Minseo?")

    assert "I must never eat peanutzzyx again." in [item.claim.words for item in found.evidence]


# --- declaring ------------------------------------------------------------------------------------------------


def test_declared_afterwards_what_was_kept_leaves_the_table(
    quick: Open, encoder: UniversalSentenceEncoder
) -> None:
    memory = quick(embedder=encoder)
    kim = memory.session(person="kim", project="diary")
    tell(kim)
    before = [roughly(kim.recall(question)) for question in QUESTIONS]
    vectors = [one for text, _ in SAID for one in vector_of(encoder, text)]
    assert holding(memory.path, *vectors)

    change = kim.declare_sensitive()
    after = [roughly(kim.recall(question)) for question in QUESTIONS]

    assert (change.sensitivity, change.changed, change.by) == (Sensitivity.SENSITIVE, True, "kim")
    assert after == before
    assert holding(memory.path, *vectors) == set()
    assert not kim.declare_sensitive().changed
    assert [one.scope.project for one in kim.sensitive()] == ["diary"]
    assert (
        memory.session(person="kim", project="diary", agent="helper").recall("Busan").evidence == ()
    )
    assert findings(memory) == ()

    assert kim.lift_sensitive().sensitivity is Sensitivity.ORDINARY
    assert [roughly(kim.recall(question)) for question in QUESTIONS] == before
    assert kim.sensitive() == ()
    assert not list((memory.path / "default" / "index.lance").glob("sealed/*"))
    assert memory.session(person="kim", project="diary", agent="helper").recall("Busan").evidence


def test_an_agent_acts_for_her_there_where_she_admits_it(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim", project="diary")
    tell(kim)
    kim.declare_sensitive(agents=["diarist"])
    diarist = memory.session(person="kim", project="diary", agent="diarist")
    helper = memory.session(person="kim", project="diary", agent="helper")

    assert "My sister Minseo lives in Busan." in [
        item.claim.words for item in diarist.recall("Busan").evidence
    ]
    note = helper.recall("Busan").notes[-1]
    assert note.startswith("not looked into: this scope is sensitive")
    for attempt in (
        lambda: helper.message("hello"),
        lambda: helper.remember("hello", sources=[]),
        lambda: helper.document("a page", origin="https://wiki.example"),
    ):
        with pytest.raises(RefusedError, match="SENSITIVE_SCOPE"):
            attempt()
    assert diarist.message("hello").id

    for agent in (diarist, helper):
        for declared in (agent.declare_sensitive, agent.lift_sensitive):
            with pytest.raises(RefusedError, match="ONLY_SHE_DECLARES|SENSITIVE_SCOPE"):
                declared()
    with pytest.raises(InvalidError, match="an agent is empty"):
        kim.declare_sensitive(agents=[" "])
    kim.declare_sensitive(agents=["*"])
    assert helper.recall("Busan").evidence


def test_what_the_policy_declares_only_the_policy_and_then_she_lift(quick: Open) -> None:
    memory = with_policy(quick, APART)
    kim = memory.session(person="kim", project="diary")
    tell(kim)
    with pytest.raises(RefusedError, match="POLICY_DECLARES"):
        kim.lift_sensitive()
    memory.close()

    (memory.path / "policy.toml").write_text("format = 1\n", encoding="utf-8")
    memory = quick()
    kim = memory.session(person="kim", project="diary")
    assert len(kim.sensitive()) == 1  # what was declared once stays so
    assert (
        memory.session(person="kim", project="diary", agent="helper").recall("Busan").evidence == ()
    )
    assert kim.lift_sensitive().changed
    assert kim.sensitive() == ()


def test_the_preset_journal_keeps_all_of_a_persons_own_apart(quick: Open) -> None:
    memory = with_policy(quick, 'format = 1\npreset = "journal"\n')
    kim = memory.session(person="kim", project="diary")
    team = memory.session(person="kim", org="acme")
    tell(kim)
    tell(team)

    assert [one.scope.named() for one in kim.sensitive()] == [{"person": "kim", "project": "diary"}]
    record = next(iter(memory.store.state.sensitive.scopes.values())).record
    assert rule_of(memory, record) == "KEPT_APART"
    assert team.sensitive() == ()
    # It is the journal's own agent that acts for her, so it needs no name there.
    helper = memory.session(person="kim", project="diary", agent="any")
    assert helper.recall("Busan").evidence
    assert (
        memory.session(person="park", project="diary", agent="any").recall("Busan").evidence == ()
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[sensitive]]\n", "name an org, a person, a project or a channel"),
        ('[[sensitive]]\nproject = "x"\nagents = [" "]\n', "an agent has a name"),
        ('[[sensitive]]\nprojekt = "x"\n', "line 3: sensitive"),
        ("sensitive = true\n", "line 2: sensitive"),
    ],
)
def test_a_policy_that_declares_wrongly_is_refused_with_its_line(
    quick: Open, text: str, told: str
) -> None:
    memory = quick()
    memory.close()
    (memory.path / "policy.toml").write_text(f"format = 1\n{text}", encoding="utf-8")

    with pytest.raises(InvalidError, match=told):
        quick()


# --- erasing, backups, keys -----------------------------------------------------------------------------------


def test_erasing_the_scope_destroys_its_key(quick: Open) -> None:
    memory = with_policy(quick, APART)
    kim = memory.session(person="kim", project="diary")
    notes = memory.session(person="kim", project="notes")
    tell(kim)
    tell(notes)
    kim.recall("Busan")
    apart = next(iter(memory.store.state.sensitive.scopes.values()))
    sealed = memory.path / "default" / "index.lance" / "sealed"
    kept_bytes = {path.name: path.read_bytes() for path in sealed.iterdir()}
    assert memory.store.keys.is_alive(apart.slot)

    told = kim.erase_scope(dry_run=True)
    assert (len(told.claims), kim.recall("Busan").evidence != ()) == (len(SAID), True)
    erasure = kim.erase_scope(reason="over")

    assert (len(erasure.claims), len(erasure.sources)) == (len(SAID), len(SAID))
    assert not memory.store.keys.is_alive(apart.slot)
    assert not list(sealed.glob("*"))
    assert kept_bytes  # a copy of the files kept elsewhere opens no more: the key is gone
    assert list(kim.claims()) == [] and kim.recall("Busan").evidence == ()
    assert len(list(notes.claims())) == len(SAID)
    assert findings(memory) == ()
    assert memory.verify().findings == ()
    assert memory.certificate(erasure).because == ()

    kim.remember("a new page", sources=[kim.message("a new page")])
    fresh = next(iter(memory.store.state.sensitive.scopes.values()))
    assert fresh.slot != apart.slot and memory.store.keys.is_alive(fresh.slot)
    assert kim.recall("new page").evidence


def test_erasing_her_or_one_entry_takes_it_out_of_the_sealed_index(quick: Open) -> None:
    memory = with_policy(quick, APART)
    kim = memory.session(person="kim", project="diary")
    tell(kim)
    kim.recall("Busan")
    slot = next(iter(memory.store.state.sensitive.scopes.values())).slot
    one = next(claim for claim in kim.claims() if "Busan" in claim.words)

    erasure = kim.erase(one.citations[0].id)
    assert memory.certificate(erasure).because == ()
    assert "Busan" not in str(kim.recall("Busan").evidence)
    assert kim.recall("민서는 어디 살아?").evidence

    gone = memory.erase_person("kim")
    assert not memory.store.keys.is_alive(slot)
    assert memory.certificate(gone).because == ()
    assert not list((memory.path / "default" / "index.lance").glob("sealed/*"))


def test_a_backup_with_its_keys_brings_it_back_apart(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim", project="diary")
        kim.declare_sensitive(agents=["diarist"])
        tell(kim)
        before = [seen(kim.recall(question)) for question in QUESTIONS]
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "one")
        kept.mirror_keys(memory)
    kept.restore(backup)

    with kept.open("restored") as memory:
        kim = memory.session(person="kim", project="diary")
        assert [seen(kim.recall(question)) for question in QUESTIONS] == before
        assert [one.agents for one in kim.sensitive()] == [("diarist",)]
        assert memory.verify().findings == ()
        assert list((memory.path / "default" / "index.lance" / "sealed").iterdir())
        assert memory.rebuild()
        assert [seen(kim.recall(question)) for question in QUESTIONS] == before
        assert findings(memory) == ()


def test_declared_after_the_backup_it_is_declared_again(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim", project="diary")
        tell(kim)
        sister = next(claim for claim in kim.claims() if "Busan" in claim.words)
        backup = kept.back_up(memory, "one")
        kim.declare_sensitive(sister)
        kim.declare_sensitive()
        kept.mirror_keys(memory)
    kept.restore(backup)

    with kept.open("restored") as memory:
        kim = memory.session(person="kim", project="diary")
        assert [one.claim for one in kim.sensitive()].count("") == 1
        assert sister.id in [one.claim for one in kim.sensitive()]
        assert (
            memory.session(person="kim", project="diary", agent="any").recall("Busan").evidence
            == ()
        )
        assert kim.recall("Busan").evidence
        assert list((memory.path / "default" / "index.lance" / "sealed").iterdir())
        assert findings(memory) == ()


def test_without_the_keys_nothing_of_it_is_read_and_nothing_is_lost_in_the_open(kept: Kept) -> None:
    with kept.open() as memory:
        kim = memory.session(person="kim", project="diary")
        kim.declare_sensitive()
        tell(kim)
        kept.mirror_keys(memory)
        backup = kept.back_up(memory, "one")
    kept.restore(backup, keys=None, newest=[kept.mirror])

    with kept.open("restored") as memory, pytest.raises(KeysError):
        memory.session(person="kim", project="diary").recall("Busan")


def test_it_is_read_only_without_writing_a_byte(quick: Open) -> None:
    memory = with_policy(quick, APART)
    tell(memory.session(person="kim", project="diary"))
    memory.close()
    before = {path: path.read_bytes() for path, _ in contents(memory.path)}

    with Memory.open(memory.path, read_only=True) as reader:
        kim = reader.session(person="kim", project="diary")
        assert "My sister Minseo lives in Busan." in [
            item.claim.words for item in kim.recall("Minseo Busan").evidence
        ]
        assert (
            reader.session(person="kim", project="diary", agent="x").recall("Busan").evidence == ()
        )
    assert {path: path.read_bytes() for path, _ in contents(memory.path)} == before


@pytest.mark.parametrize("harm", ["cut", "flipped", "emptied", "swapped", "foreign"])
def test_a_damaged_sealed_index_is_made_anew(quick: Open, harm: str) -> None:
    memory = with_policy(quick, APART)
    kim = memory.session(person="kim", project="diary")
    tell(kim)
    before = seen(kim.recall("Busan"))
    memory.close()
    sealed = memory.path / "default" / "index.lance" / "sealed"
    path = next(sealed.glob("claim-*.rows"))
    raw = path.read_bytes()
    match harm:
        case "cut":  # a crash inside of a frame: what is whole counts, and the journal has the rest
            path.write_bytes(raw + raw[: len(raw) // 2])
        case "flipped":
            path.write_bytes(raw[:-9] + bytes([raw[-9] ^ 1]) + raw[-8:])
        case "emptied":
            path.write_bytes(b"\0\0\0\0")
        case "swapped":
            path.write_bytes(next(sealed.glob("turn-*.rows")).read_bytes())
        case _:
            (sealed / "notes.txt").write_bytes(b"no rows")

    memory = quick()
    kim = memory.session(person="kim", project="diary")
    kim.recall("Busan")  # finds the damage
    assert seen(kim.recall("Busan")) == before


def test_a_crash_while_rows_move_loses_none_and_leaves_none_behind(
    quick: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = quick()
    kim = memory.session(person="kim", project="diary")
    tell(kim)
    before = roughly(kim.recall("Busan"))
    add = Index.add

    def broken(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Index, "add", broken)
    kim.declare_sensitive()  # the rows leave the table and come nowhere
    with pytest.raises(OSError, match="no space"):
        memory.index()
    memory.close()
    monkeypatch.setattr(Index, "add", add)

    memory = quick()
    kim = memory.session(person="kim", project="diary")
    assert roughly(kim.recall("Busan")) == before
    assert list((memory.path / "default" / "index.lance").glob("sealed/claim-*"))


# --- the operator ---------------------------------------------------------------------------------------------


def test_the_operators_lists_hold_nothing_of_it(quick: Open) -> None:
    memory = with_policy(quick, APART)
    kim, park = (memory.session(person=name, project="diary") for name in ("kim", "park"))
    tell(kim)
    receipt = kim.recall("sertralinequux Minseo").receipt
    park.remember("kim said sertralinequux", sources=[park.message("kim said sertralinequux")])

    request = memory.request("kim")
    assert [line.sort for line in request.lines] == ["person"]
    assert any("sensitive scopes of others" in note for note in request.notes)
    replayed = memory.replay(receipt)
    assert "sertralinequux" not in replayed.model_dump_json()
    assert "sertralinequux" in kim.replay(receipt).model_dump_json()
    candidate = memory.path / "candidate.toml"
    candidate.write_text('format = 1\npreset = "regulated"\n', encoding="utf-8")
    assert not any(canary in str(memory.try_policy(candidate)) for canary in CANARIES)


# --- sensitive claims in ordinary scopes ----------------------------------------------------------------------


def words(answer: Answer) -> list[str]:
    """Return the words of an answer's evidence."""
    return [item.claim.words for item in answer.evidence]


@pytest.mark.parametrize(
    "text",
    [
        "I take sertralinequux every day.",
        "저는 매일 세르쿼카뷁을 먹어요.",
        "저는 sertralinequux를 매일 먹어요.",
    ],
)
def test_a_sensitive_claim_comes_on_explicit_need_only(quick: Open, text: str) -> None:
    memory = quick(embedder=flat_embedder())
    kim = memory.session(person="kim", project="apollo")
    bot = memory.session(person="kim", project="apollo", agent="bot")
    said = kim.message(text)
    claim = kim.remember(text, kind="stated", sources=[said], sensitive=True)
    assert claim.sensitive

    for session in (kim, bot):
        plain = session.recall(text)
        assert text not in words(plain)
        assert [(one.rule, one.count) for one in plain.withheld] == [("SENSITIVE", 1)]
        needed = session.recall(text, need="the doctor asks what she takes")
        item = next(item for item in needed.evidence if item.claim.words == text)
        assert "NEEDED" in item.rules
    assert "the doctor asks" in str(kim.why(needed.receipt).notes)
    assert memory.session(person="park", project="apollo").recall(text, need="me").evidence == ()

    # To herself it stays hers to see; an agent sees neither it nor the message it was said in.
    assert claim.id in [one.id for one in kim.claims()] and kim.claim(claim.id).sensitive
    assert claim.id not in [one.id for one in bot.claims()]
    assert text not in "".join(bot.export()) and text in "".join(kim.export())
    assert [hit.excerpt for hit in kim.search_conversations(text).hits] == [text]
    found = bot.search_conversations(text)
    assert found.hits == () and found.notes[-1].startswith("1 kept back, SENSITIVE")
    assert bot.why(needed.receipt).lines == ()
    for attempt in (
        lambda: bot.claim(claim.id),
        lambda: bot.why(claim.id),
        lambda: bot.replay(needed.receipt),
        lambda: bot.trace(claim.id),
        lambda: bot.source(said.id),
        lambda: bot.history(claim.id),
        lambda: bot.lift_sensitive(claim.id),
        lambda: bot.correct(claim.id, "no", version=1),
    ):
        with pytest.raises(RefusedError, match="SENSITIVE"):
            attempt()


def test_what_is_drawn_from_it_is_as_sensitive(quick: Open) -> None:
    memory = quick(embedder=flat_embedder())
    kim = memory.session(person="kim", project="apollo")
    said = kim.message("I take sertralinequux. I like tea.")
    claim = kim.remember("I take sertralinequux.", kind="stated", sources=[said])
    derived = kim.remember("She may be tired in the morning.", sources=[claim])
    further = kim.remember("No meetings before ten.", sources=[derived])
    plain = kim.remember("I like tea.", kind="stated", sources=[said])
    assert len(words(kim.recall("meetings"))) == 4

    kim.declare_sensitive(claim)

    assert words(kim.recall("meetings")) == ["I like tea."]
    assert kim.claim(further.id).sensitive and not kim.claim(plain.id).sensitive
    later = kim.remember("Something for the morning.", sources=[kim.claim(further.id)])
    assert later.sensitive
    with pytest.raises(InvalidError, match="rests on what is"):
        kim.lift_sensitive(derived)
    memory.close()
    memory = quick(embedder=flat_embedder())  # from the graph
    kim = memory.session(person="kim", project="apollo")
    assert words(kim.recall("meetings")) == ["I like tea."]
    assert memory.rebuild()  # from the journal
    assert words(kim.recall("meetings")) == ["I like tea."]
    assert kim.lift_sensitive(claim).changed and not kim.lift_sensitive(claim).changed
    assert len(words(kim.recall("meetings"))) == 5
    assert findings(memory) == ()


def test_what_leaves_a_sensitive_scope_is_sensitive_where_it_goes(quick: Open) -> None:
    memory = quick(embedder=flat_embedder())
    own = memory.session(person="kim")
    own.declare_sensitive(agents=["*"])
    said = own.message("I take sertralinequux.")
    bot = memory.session(person="kim", project="apollo", agent="bot")

    carried = bot.remember("She takes medicine.", sources=[said])

    assert carried.sensitive and carried.scope.project == "apollo"
    assert "She takes medicine." not in words(bot.recall("medicine"))
    assert "She takes medicine." in words(bot.recall("medicine", need="she asked what she takes"))


def test_what_an_agent_was_told_on_need_stays_sensitive_in_its_own_words_too(quick: Open) -> None:
    memory = quick(embedder=flat_embedder())
    kim = memory.session(person="kim", project="apollo")
    bot = memory.session(person="kim", project="apollo", agent="bot")
    text = "I take sertralinequux every single morning."
    kim.remember(text, kind="stated", sources=[kim.message(text)], sensitive=True)
    other = kim.message("Let us plan the week.")
    bot.recall("week", need="planning")

    again = bot.remember(f"She said: {text}", sources=[other])

    assert again.sensitive
    state = memory.store.state
    assert rule_of(memory, state.sensitive.declared[state.ids[again.id]]) == "SENSITIVE_AGAIN"
    assert again.words not in words(bot.recall("week"))


def test_a_channel_is_not_declared_sensitive_and_names_are_compared_as_written(quick: Open) -> None:
    memory = quick()
    with pytest.raises(InvalidError, match="everybody's there"):
        memory.session(person="kim", channel="town").declare_sensitive()
    memory.close()
    decomposed = unicodedata.normalize("NFD", "일기")
    (memory.path / "policy.toml").write_text(
        f'format = 1\n[[sensitive]]\nproject = "{decomposed}"\nagents = ["{decomposed}"]\n', "utf-8"
    )
    memory = quick()
    kim = memory.session(person="kim", project="일기")
    tell(kim)
    assert [one.agents for one in kim.sensitive()] == [("일기",)]
    assert memory.session(person="kim", project="일기", agent="일기").recall("Busan").evidence


def test_her_constraint_is_always_on_however_sensitive(quick: Open) -> None:
    memory = quick(embedder=flat_embedder())
    kim = memory.session(person="kim")
    bot = memory.session(person="kim", agent="bot")
    allergy = "저는 땅콩 알레르기가 있어요."
    said = kim.message(allergy)
    kim.remember(allergy, kind="stated", category="constraint", sources=[said], sensitive=True)
    guess = bot.remember("땅콩은 안 된다.", category="constraint", sources=[said])
    kim.declare_sensitive(guess)

    for session in (kim, bot):
        found = session.recall("저녁 뭐 먹지?")
        assert words(found) == [allergy]
        assert [(one.rule, one.count) for one in found.withheld] == [("SENSITIVE", 1)]
    assert bot.claim(next(bot.claims()).id).words == allergy


def test_only_she_declares_it(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    bot = memory.session(person="kim", agent="bot")
    said = kim.message("I like tea.")
    claim = kim.remember("I like tea.", kind="stated", sources=[said])
    before = memory.store.state.sensitive.declared.copy()

    for attempt in (
        lambda: bot.declare_sensitive(claim),
        lambda: bot.lift_sensitive(claim),
        lambda: bot.remember("tea", sources=[said], sensitive=True),
    ):
        with pytest.raises(RefusedError, match="ONLY_SHE_DECLARES"):
            attempt()
    with pytest.raises(NotFoundError):
        memory.session(person="park").declare_sensitive(claim)
    with pytest.raises(InvalidError, match="agents are admitted to a scope"):
        kim.declare_sensitive(claim, agents=["bot"])
    assert memory.store.state.sensitive.declared == before == {}


def test_a_key_sent_again_is_the_same_and_a_refusal_is_written_down(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said = kim.message("I like tea.")
    first = kim.remember("I like tea.", kind="stated", sources=[said], sensitive=True, key="k")
    count = memory.store.state.seq

    again = kim.remember("I like tea.", kind="stated", sources=[said], sensitive=True, key="k")

    assert (again.id, memory.store.state.seq) == (first.id, count)
    with pytest.raises(RefusedError, match="NO_EVIDENCE"):
        kim.remember("I like coffee.", sensitive=True)
    assert memory.store.header(memory.store.state.seq).op == "refusal"


def test_a_store_without_anything_sensitive_is_as_it_was(quick: Open) -> None:
    memory = quick()
    tell(memory.session(person="kim", project="notes"))
    memory.session(person="kim", project="notes").recall("Busan")
    memory.close()
    memory = quick()

    ops = {memory.store.header(seq).op for seq in range(1, memory.store.state.seq + 1)}
    assert "sensitive" not in ops
    assert not (memory.path / "default" / "index.lance" / "sealed").exists()


def test_ingested_lines_go_where_they_belong(quick: Open) -> None:
    memory = with_policy(
        quick, APART, embedder=CallableEmbedder("flat", 8, lambda texts: np.ones((len(texts), 8)))
    )
    said = "I take sertralinequux."
    lines = [
        json.dumps({"type": "message", "person": "kim", "project": "diary", "key": "m", "text": said}),
        json.dumps({"type": "claim", "person": "kim", "project": "diary", "kind": "stated",
                    "text": said, "sources": ["m"]}),
        json.dumps({"type": "message", "person": "kim", "project": "diary", "agent": "bot", "text": "hello"}),
    ]  # fmt: skip

    report = memory.ingest(lines)

    assert (report.accepted, len(report.errors)) == (2, 1)
    assert "SENSITIVE_SCOPE" in report.errors[0].message
    assert words(memory.session(person="kim", project="diary").recall("medicine"))
    assert list((memory.path / "default" / "index.lance").glob("sealed/claim-*"))
