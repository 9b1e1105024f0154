"""L05: what is erased is destroyed, stays out on every way in, and comes back only when its person says it anew."""

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from muniment import (
    ConflictError,
    ErasedError,
    Failure,
    InvalidError,
    Memory,
    NotFoundError,
    Reasoning,
    RefusedError,
    Session,
    Source,
)
from muniment.claims import IntegrityError
from muniment.lineage import Store, unseal
from muniment.testing import findings, word_findings

ROOT = Path(__file__).resolve().parents[2]
SECRET = "The vault code is canary-47118352."
Open = Callable[..., Memory]


def stated(session: Session, text: str) -> tuple[Source, str]:
    """Let a person say and remember something; return the message and the claim's identifier."""
    said = session.message(text)
    return said, session.remember(text, kind="stated", sources=[said]).id


def rule_of(attempt: Callable[[], object]) -> str:
    """Return the rule an attempt is refused by and what the refusal says."""
    with pytest.raises(RefusedError) as caught:
        attempt()
    return f"{caught.value.decision.rule}: {caught.value.decision.reason}"


def all_words(store: Store) -> str:
    """Return everything that any surviving key opens in the journal: each is tried on every payload."""
    alive = [
        store.keys.key(slot) for slot in range(store.state.next_slot) if store.keys.is_alive(slot)
    ]
    return "\n".join(_opened(store, alive))


def _opened(store: Store, keys: list[bytes]) -> list[str]:
    found: list[str] = []
    for raw in store.journal.scan():
        header = store.header(store.state.ids[json.loads(raw.header)["id"]])
        for place, payload in enumerate(raw.payloads):
            context = header.id.encode() + place.to_bytes(2, "big")
            for key in keys:
                try:
                    found.append(unseal(key, payload, context)[16:].decode())
                except IntegrityError:
                    continue
    return found


def test_no_file_and_no_surviving_key_gives_the_words(quick: Open, tmp_path: Path) -> None:
    memory = quick()
    kim = memory.session(person="kim", project="apollo")
    bot = memory.session(person="kim", project="apollo", agent="bot", session="canary-session")
    places = ("said", "gist", "subject", "attribute", "value", "recheck", "page", "field", "note")
    canaries = [
        f"canary{place}" for place in (*places, "text", "origin", "tool", "session", "asked")
    ]
    said = bot.document("canarysaid canarypage", origin="https://canaryorigin.example")
    tool = bot.tool_result("canarytool", {"log": "canaryfield"}, "canarytext")
    other = memory.session(person="kim", project="apollo", session="canarysession")
    spoken = other.message("canarysaid in a message")
    claim = kim.remember(
        "canarysaid", kind="external", sources=[said], gist="canarygist", subject="canarysubject",
        attribute="canaryattribute", value="canaryvalue", recheck_when="canaryrecheck",
    )  # fmt: skip
    summary = bot.remember("canarysaid summed up", sources=[claim, tool])
    bot.remember("canarysaid summed up again", sources=[summary])
    kim.recall("canaryasked canarysaid")
    kim.retract(claim, reason="canarynote")
    before = all_words(memory.store)
    assert [word for word in canaries if word not in before] == []

    for source in (said, tool, spoken):
        kim.erase(source)

    memory.store.post()
    left = all_words(memory.store)
    assert [word for word in canaries if word in left] == []
    assert findings(memory) == ()
    memory.close()
    assert word_findings(tmp_path / "store", canaries) == ()


def test_the_index_files_lose_the_digests_and_the_vector(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    stated(kim, "We deploy on Fridays.")
    said, claim = stated(kim, SECRET)
    kim.recall("vault")
    index = memory.index_now
    assert index is not None
    rows = index._shelf._opened().to_arrow().to_pylist()  # pyright: ignore[reportPrivateUsage]
    node = memory.store.state.ids[claim]
    (row,) = [row for row in rows if row["node"] == node]
    others = {
        one
        for row in rows
        if row["node"] < memory.store.state.ids[said.id]
        for one in row["digests"]
    }
    wanted = [np.array(row["vector"], np.float16).tobytes()]
    wanted += [np.uint64(one).tobytes() for one in row["digests"] if one not in others]
    folder = memory.store.folder / "index.lance"

    def held() -> int:
        raw = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
        return sum(one in raw for one in wanted)

    assert held() > 0

    kim.erase(said)

    assert held() == 0


def test_a_dry_run_says_what_would_go_and_changes_nothing(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said, claim = stated(kim, SECRET)
    _, twice = stated(kim, SECRET)
    summary = bot.remember("There is a vault.", sources=[said])
    memory.store.post()
    lines = list(kim.export())  # which writes down that it gave them out, once
    before = memory.store.state.seq

    plan = kim.erase(said, dry_run=True)

    assert (memory.store.state.seq, list(kim.export())) == (before, lines)
    assert findings(memory) == ()
    done = kim.erase(said)
    assert twice == claim
    assert plan.claims == done.claims == (summary.id,)
    assert [one.claim for one in done.survivors] == [claim] and plan.survivors == done.survivors
    assert (plan.lost, plan.rescued, plan.keys) == (done.lost, done.rescued, done.keys)
    assert not plan.id and done.id and done.rescued == (claim,)


def test_only_the_person_herself_and_the_host_may_erase(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said, claim = stated(kim, SECRET)

    assert rule_of(lambda: bot.erase(claim)).startswith("ONLY_THE_PERSON")
    last = memory.store.header(memory.store.state.seq)
    assert (last.op, getattr(last, "verb", "")) == ("refusal", "erase")
    with pytest.raises(NotFoundError) as theirs:
        memory.session(person="lee").erase(claim)
    with pytest.raises(NotFoundError):
        memory.session(person="lee").erase("AAAAAAAAAAAAAAAAAAAAAA")
    assert claim in str(theirs.value)
    with pytest.raises(ConflictError):
        kim.erase(claim, version=7)
    with pytest.raises(InvalidError):
        kim.erase(claim, basis="because")
    assert kim.erase(claim, version=1, basis="consent").claims == (claim,)
    assert memory.erase(said.id).sources == (said.id,)


def test_what_was_erased_answers_its_owner_and_nobody_else(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said, claim = stated(kim, SECRET)
    tombstone = kim.erase(said).id
    for ask in (kim.claim, kim.history, kim.trace, kim.why, kim.erase):
        with pytest.raises(ErasedError) as caught:
            ask(claim)
        assert caught.value.tombstone == tombstone
    with pytest.raises(ErasedError):
        kim.source(said.id)
    for stranger in (bot, memory.session(person="lee")):
        with pytest.raises(NotFoundError):
            stranger.claim(claim)
    assert list(kim.claims()) == []


LINES = {
    "message": {"type": "message", "agent": "bot", "text": SECRET},
    "tool_result": {"type": "tool_result", "tool": "browser", "text": SECRET},
    "document": {"type": "document", "text": SECRET, "origin": "elsewhere"},
    "claim": {"type": "claim", "text": SECRET, "agent": "bot"},
}
WAYS: dict[str, Callable[[Memory, Session, Source], object]] = {
    "message": lambda memory, bot, said: bot.message(f"  {SECRET.upper()} !"),
    "tool_result": lambda memory, bot, said: bot.tool_result("browser", {}, SECRET),
    "document": lambda memory, bot, said: bot.document(SECRET.replace("v", "v\u200b"), origin="x"),
    "remember": lambda memory, bot, said: bot.remember(SECRET, sources=[said]),
    "correct": lambda memory, bot, said: bot.correct(
        bot.remember("a guess", sources=[said]), SECRET, sources=[said]
    ),
    "rewrite_block": lambda memory, bot, said: bot.rewrite_block(f"Call me 민지\n- {SECRET}"),
    "supersede": lambda memory, bot, said: bot.supersede(
        bot.remember("a guess", sources=[said]), SECRET, sources=[said]
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_way_in_takes_it_back_from_a_machine(way: str, quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said, _ = stated(kim, SECRET)
    other = kim.message("Something else.")
    kim.erase(said)

    assert rule_of(lambda: WAYS[way](memory, bot, other)) == "SUPPRESSED: it is not taken in here"


@pytest.mark.parametrize("sort", LINES)
def test_ingest_does_not_take_it_back(sort: str, quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said, _ = stated(kim, SECRET)
    other = kim.message("Something else.")
    kim.erase(said)
    line = {**LINES[sort], "person": "kim", **({"sources": [other.id]} if sort == "claim" else {})}

    (error,) = memory.ingest([json.dumps(line)]).errors

    assert (error.error, error.message[:10]) == ("refused", "SUPPRESSED")


def test_every_way_in_passes_the_tombstones() -> None:
    """Only these functions write what came in; each demands a passage, and only the gate makes one."""
    makers: set[str] = set()
    writers: dict[str, set[str]] = {}
    for source in (
        *ROOT.glob("lineage/*.py"),
        *ROOT.glob("muniment/*.py"),
        *ROOT.glob("surfaces/**/*.py"),
    ):
        for function in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in ast.walk(function):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id == "Passage"
                ):
                    makers.add(f"{source.parent.name}/{source.name}")
                named = node.id if isinstance(node, ast.Name) else ""
                if named in (
                    "SourceRecord",
                    "ClaimRecord",
                    "AssertRecord",
                    "BlockRecord",
                ) and function.name.startswith("write"):
                    arguments = (*function.args.args, *function.args.kwonlyargs)
                    writers[function.name] = {argument.arg for argument in arguments}

    assert makers == {"lineage/tombstones.py"}
    assert set(writers) == {"write_source", "write_claim", "write_block"}
    assert all("passage" in names for names in writers.values())


def test_its_person_says_it_anew_on_purpose_and_that_is_recorded(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = kim.message(SECRET, key="k")
    claim = kim.remember(SECRET, kind="stated", sources=[said], key="c")
    kim.erase(said)

    assert "you erased this on" in rule_of(lambda: kim.message(SECRET))
    assert rule_of(lambda: kim.message(SECRET, key="k")).startswith("SUPPRESSED")
    assert rule_of(lambda: bot.message(SECRET, anew=True)).startswith("SUPPRESSED")
    again = kim.message(SECRET, key="k", anew=True)
    assert kim.message(SECRET, key="k").id == again.id
    assert getattr(memory.store.header(memory.store.state.ids[again.id]), "anew", False)
    kept = bot.remember(SECRET, kind="stated", sources=[again])
    assert kept.id != claim.id and kept.words == SECRET


def test_a_claim_is_said_anew_from_a_newer_message_of_its_person(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said, claim = stated(kim, SECRET)
    erasure = kim.erase(claim)
    assert erasure.remaining == (said.id,)

    assert "anew" in rule_of(lambda: kim.remember(SECRET, kind="stated", sources=[said]))
    assert rule_of(lambda: bot.remember(SECRET, sources=[said])).startswith("SUPPRESSED")
    newer = kim.message(f"Once more. {SECRET}")
    assert rule_of(lambda: bot.remember(SECRET, sources=[newer])).startswith("SUPPRESSED")
    assert kim.remember(SECRET, kind="stated", sources=[newer]).words == SECRET
    kim.erase(kim.remember("Another secret.", sources=[said]))
    assert kim.remember("Another secret.", sources=[said], anew=True).words == "Another secret."


def test_what_one_erased_says_nothing_to_another(quick: Open) -> None:
    memory = quick()
    kim, lee = memory.session(person="kim"), memory.session(person="lee")
    said, _ = stated(kim, SECRET)
    kim.erase(said)

    _, claim = stated(lee, SECRET)

    assert lee.claim(claim).words == SECRET


def test_a_receipt_forgets_its_question_with_what_it_gave(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said, _ = stated(kim, SECRET)
    _, kept = stated(kim, "We deploy on Fridays.")
    receipt = kim.recall("vault").receipt

    assert kim.erase(said).receipts == 1

    explained = kim.why(receipt)
    assert explained.question == "" and "destroyed by an erasure" in explained.notes[0]
    assert {line.claim.id for line in explained.lines} <= {kept}
    assert kim.why(kim.recall("deploy").receipt).question == "deploy"


def test_a_person_goes_whole_and_others_stay(quick: Open, tmp_path: Path) -> None:
    memory = quick()
    kim, lee = memory.session(person="canary-kim"), memory.session(person="lee", channel="ops")
    room = memory.session(person="canary-kim", channel="ops")
    _, claim = stated(kim, SECRET)
    spoken = room.message("canary in the room")
    _, stays = stated(lee, "We deploy on Fridays.")
    kim.recall("vault")

    erasure = memory.erase_person("canary-kim")

    assert claim in erasure.claims and spoken.id in erasure.sources and erasure.receipts == 1
    assert [one.id for one in lee.claims()] == [stays]
    assert "canary" not in all_words(memory.store)
    assert findings(memory) == ()
    again = memory.session(person="canary-kim")
    assert list(again.claims()) == []
    assert rule_of(lambda: again.message(SECRET)).startswith("SUPPRESSED")
    with pytest.raises(NotFoundError):
        memory.erase_person("nobody")


def test_one_conversation_goes_and_the_others_stay(quick: Open) -> None:
    memory = quick()
    one, two = (memory.session(person="kim", session=name) for name in ("one", "two"))
    _, gone = stated(one, SECRET)
    _, stays = stated(two, "We deploy on Fridays.")
    with pytest.raises(NotFoundError):
        two.erase_conversation("three")

    erasure = two.erase_conversation("one")

    assert erasure.claims == (gone,)
    assert [claim.id for claim in two.claims()] == [stays]


def test_the_store_is_the_same_opened_again_and_made_anew(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said, claim = stated(kim, SECRET)
    other, _ = stated(kim, SECRET)
    kim.erase(said)
    memory.close()
    memory = quick()
    kim = memory.session(person="kim")

    kept = kim.claim(claim)
    assert (kept.version, kept.seen_count, kept.words) == (3, 1, SECRET)
    assert [change.verb for change in kim.history(claim)] == ["remember", "remember again", "erase"]
    assert [citation.id for citation in kept.citations] == [other.id]
    assert rule_of(lambda: kim.message(SECRET)).startswith("SUPPRESSED")
    assert findings(memory) == ()


def test_reasons_of_revoking_and_former_secrets_go_too(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    page = kim.document("A page.", origin="https://one.example")
    kim.revoke(page, reason="it names 이서연")
    kim.give_back(page, reason="she agreed")
    kim.set_secret("open sesame 열려라")
    kim.set_secret("open barley 열려라", former="open sesame 열려라")
    kim.prove("open barley 열려라")
    store = memory.store
    told = [
        seq for seq in range(1, store.state.seq + 1) if store.header(seq).op in ("access", "secret")
    ]

    kim.erase(page)
    memory.erase_person("kim")

    for seq in told:
        with pytest.raises(ErasedError):
            store.words(seq)
    assert memory.rebuild() and findings(memory) == ()


@pytest.mark.parametrize("linked", [True, False])
def test_the_reason_of_a_change_goes_with_what_it_speaks_of(linked: bool, quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    one, other = kim.message("The zebra gate is open."), kim.message("문이 열려 있다.")
    kept = kim.remember("gate is open", sources=[one])
    kim.remember("gate is open", sources=[other])
    lee = memory.session(person="lee")
    mine = lee.remember("x y", sources=[lee.message("x y")])
    lee.confirm(mine, reason="the zebra gate is open", version=1)
    reason = "since zebra said" if linked else "because the zebra gate is open, 그래서"
    kim.confirm(kim.claim(kept.id), sources=[one] if linked else [], reason=reason)

    kim.erase(one)

    history = kim.history(kept.id)
    assert [change.reason for change in history if change.verb == "confirm"] == [""]
    assert lee.history(mine.id)[-1].reason == "the zebra gate is open"
    assert findings(memory) == ()


@pytest.mark.parametrize(
    "beside",
    [
        {"subject": SECRET},
        {"attribute": SECRET, "value": "x"},
        {"attribute": "code", "value": f" {SECRET.upper()} "},
        {"recheck_when": SECRET},
        {
            "category": "failure",
            "failure": Failure(symptom="it broke", fixed_by=SECRET, environment="ci"),
        },
        {"category": "decision", "reasoning": Reasoning(because=SECRET, rejected=())},
        {"category": "preference", "task": SECRET},
    ],
)
def test_it_does_not_come_back_beside_other_words(beside: dict[str, Any], quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said, _ = stated(kim, SECRET)
    city, _ = stated(kim, "Seoul")
    kim.erase(said)
    kim.erase(city)
    other = kim.message("We spoke of the door in the hall.")

    assert rule_of(
        lambda: bot.remember("the door has a code", sources=[other], **beside)
    ).startswith("SUPPRESSED")
    named = bot.remember(
        "she moved there", sources=[other], subject="city", attribute="is", value="Seoul"
    )
    assert named.value == "Seoul"  # one word is said of many things
