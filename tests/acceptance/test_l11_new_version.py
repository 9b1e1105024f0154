"""L11: a new version of a source supersedes the old; what rests only on the old is stale, with the difference shown."""

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from muniment import ConflictError, ErasedError, InvalidError, Memory, NotFoundError, RefusedError
from muniment.claims import Source

TOOL = Path(__file__).parents[2] / "tools" / "verify_bundle.py"
PAGE = "https://wiki.example/배포"
OLD = "배포는 금요일에 한다.\nThe owner is Lee.\n담당 채널은 #deploy 다.\n"
NEW = OLD.replace("금요일", "목요일")


def words_of(memory: Memory, who: str) -> list[str]:
    """Return what a recall gives."""
    answer = memory.session(person=who).recall("배포 owner 담당")
    return [item.claim.words for item in answer.evidence]


def test_what_rests_only_on_the_old_page_is_stale(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    page = kim.document(OLD, origin=PAGE)
    friday = kim.remember("배포는 금요일에 한다.", kind="external", sources=[page])
    owner = kim.remember("The owner is Lee.", kind="external", sources=[page])
    derived = bot.remember("목요일 밤에 준비한다", sources=[friday])
    said = kim.message("The owner is Lee.")
    kim.remember("The owner is Lee.", kind="external", sources=[said])

    new = kim.document(NEW, origin=PAGE, replaces=page)

    assert (new.replaces, kim.source(page.id).replaced_by) == (page.id, new.id)
    standings = [kim.claim(one.id).standing for one in (friday, owner, derived)]
    assert standings == ["stale", "active", "stale"]
    assert words_of(memory, who) == ["The owner is Lee."]
    causes = [
        [(one.id, one.standing, one.replaced_by) for one in item.causes] for item in kim.stale()
    ]
    assert causes == [[(page.id, "superseded", new.id)]] * 2
    assert kim.evidence_of(friday).independent == 1  # believed still, only not fresh
    assert kim.difference(page) == kim.difference(new)
    lines = kim.difference(page).lines
    assert [line for line in lines[3:] if line[0] in "+-"] == [
        "-배포는 금요일에 한다.",
        "+배포는 목요일에 한다.",
    ]


def test_words_that_stayed_are_offered_and_not_moved(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    page = kim.document(OLD, origin=PAGE)
    owner = kim.remember("The owner is Lee.", kind="external", sources=[page])
    new = kim.document(NEW, origin=PAGE, replaces=page)
    twice = kim.document(NEW + "The owner is Lee.\n", origin=PAGE, replaces=new)

    (item,) = kim.stale()
    assert item.causes[0].replaced_by == twice.id
    assert item.causes[0].still_there == ()  # in the newest they stand twice, so where is not known
    assert kim.difference(page).new == twice.id

    again = kim.remember("The owner is Lee.", kind="external", sources=[twice])
    assert (again.id, again.standing, list(kim.stale())) == (owner.id, "active", [])


def test_where_the_words_stand_once_the_place_is_named(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    page = kim.document(OLD, origin=PAGE)
    owner = kim.remember("The owner is Lee.", kind="external", sources=[page])
    new = kim.document(f"머리말\n{NEW}", origin=PAGE, replaces=page)

    (item,) = kim.stale()
    (there,) = item.causes[0].still_there

    assert new.text[there.start : there.end] == there.words == "The owner is Lee."
    made = kim.regenerate(owner, "The owner is Lee.", sources=[new])
    assert (made.standing, kim.claim(owner.id).standing) == ("active", "superseded")


def test_an_edited_message(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said = kim.message("회의는 열 시다")
    claim = bot.remember("회의는 열 시다", kind="stated", sources=[said])

    edited = kim.message("회의는 열한 시다", replaces=said.id)

    assert kim.claim(claim.id).standing == "stale"
    assert [hit.source for hit in kim.search_conversations("회의는 시다").hits] == [edited.id]


def test_the_same_words_again_are_no_new_version(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    page = kim.document(OLD, origin=PAGE)
    claim = kim.remember("The owner is Lee.", kind="external", sources=[page])

    assert kim.document(OLD, origin=PAGE, replaces=page).id == page.id
    assert kim.claim(claim.id).standing == "active"
    new = kim.document(NEW, origin=PAGE, replaces=page, key="v2")
    assert kim.document(NEW, origin=PAGE, replaces=page, key="v2").id == new.id
    with pytest.raises(ConflictError) as caught:
        kim.document("third", origin=PAGE, replaces=page)
    assert caught.value.current == new.id
    with pytest.raises(ConflictError):
        kim.document("third", origin=PAGE, replaces=new, key="v2")


def test_only_whoever_kept_it_or_her_person(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    other = memory.session(person=who, agent="other")
    lee = memory.session(person=f"lee {who}")
    page, said = bot.document(OLD, origin=PAGE), kim.message("my words")
    hers = kim.document("kept by herself", origin=PAGE)

    for session, old in ((other, page), (bot, hers)):
        with pytest.raises(RefusedError) as refused:
            session.document(NEW, origin=PAGE, replaces=old)
        assert refused.value.decision.rule == "NOT_YOUR_SOURCE"
    with pytest.raises(RefusedError) as refused:
        bot.message("other words", replaces=said)
    assert refused.value.decision.rule == "NOT_YOUR_SOURCE"
    with pytest.raises(RefusedError):
        memory.session(person=who, project="p").document(NEW, origin=PAGE, replaces=hers)
    with pytest.raises(NotFoundError):
        lee.document(NEW, origin=PAGE, replaces=page)
    assert kim.document(NEW, origin=PAGE, replaces=page).replaces == page.id


def test_a_member_edits_only_her_own_in_a_channel(memory: Memory, who: str) -> None:
    kim = memory.session(person=who, channel=who)
    lee = memory.session(person=f"lee {who}", channel=who)
    said = kim.message("we deploy on Friday")

    with pytest.raises(RefusedError) as refused:
        lee.message("we deploy on Monday", replaces=said)

    assert refused.value.decision.rule == "NOT_YOUR_SOURCE"
    assert kim.message("we deploy on Monday", replaces=said).replaces == said.id


def test_what_cannot_be_a_new_version(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    page, said = kim.document(OLD, origin=PAGE), kim.message("a message")
    claim = kim.remember("a message", kind="stated", sources=[said])
    result = kim.tool_result("browser", text="seen")

    for old in (said.id, claim.id, result.id):
        with pytest.raises(InvalidError):
            kim.document(NEW, origin=PAGE, replaces=old)
    with pytest.raises(InvalidError, match="comes from elsewhere"):
        kim.document(NEW, origin="https://evil.example", replaces=page)
    with pytest.raises(InvalidError, match="only one version"):
        kim.difference(page)
    kim.revoke(page)
    with pytest.raises(RefusedError):
        kim.document(NEW, origin=PAGE, replaces=page)


def test_erasing_or_revoking_the_new_one_does_not_bring_the_old_back(
    memory: Memory, who: str
) -> None:
    kim = memory.session(person=who)
    page = kim.document(OLD, origin=PAGE)
    claim = kim.remember("The owner is Lee.", kind="external", sources=[page])
    new = kim.document(NEW, origin=PAGE, replaces=page)

    kim.revoke(new)
    assert kim.claim(claim.id).standing == "stale"
    with pytest.raises(RefusedError):
        kim.difference(page)
    kim.give_back(new)
    kim.revoke(page)
    assert kim.claim(claim.id).standing == "restricted"
    kim.give_back(page)
    assert kim.claim(claim.id).standing == "stale"
    kim.erase(new)

    assert kim.claim(claim.id).standing == "stale"
    assert [one.replaced_by for item in kim.stale() for one in item.causes] == [new.id]
    with pytest.raises(ErasedError):
        kim.difference(page)
    third = kim.document(f"{OLD}세 번째\n", origin=PAGE, replaces=page, anew=True)
    assert (third.replaces, kim.source(page.id).replaced_by) == (page.id, third.id)


def test_erasing_the_old_one_leaves_the_new(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    page = kim.document(OLD, origin=PAGE)
    old = kim.remember("배포는 금요일에 한다.", kind="external", sources=[page])
    new = kim.document(NEW, origin=PAGE, replaces=page)
    fresh = kim.remember("배포는 목요일에 한다.", kind="external", sources=[new])

    assert kim.erase(page).claims == (old.id,)

    assert kim.claim(fresh.id).standing == "active"
    assert kim.source(new.id).text == NEW


def test_as_of_the_old_page_it_was_current(
    quick: Callable[..., Memory],
    moment: list[datetime],
    pass_time: Callable[[timedelta], None],
) -> None:
    memory = quick("versions", clock=lambda: moment[0])
    kim = memory.session(person="kim")
    page = kim.document(OLD, origin=PAGE)
    claim = kim.remember("The owner is Lee.", kind="external", sources=[page])
    then = moment[0]
    pass_time(timedelta(days=1))
    kim.document(NEW, origin=PAGE, replaces=page)

    assert kim.claim(claim.id).standing == "stale"
    assert kim.claim(claim.id, as_of=then).standing == "active"
    assert kim.recall("owner", as_of=then).evidence[0].claim.id == claim.id


def test_the_verifier_and_prov_know_it(quick: Callable[..., Memory], tmp_path: Path) -> None:
    memory = quick("proof")
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    page = kim.document(OLD, origin=PAGE)
    claim = kim.remember("The owner is Lee.", kind="external", sources=[page])
    derived = bot.remember("ask Lee", sources=[claim])
    bot.search_conversations("nobody")
    bot.claim(claim.id)
    new = kim.document(NEW, origin=PAGE, replaces=page)
    bundle = tmp_path / "bundle.json"
    bundle.write_text(kim.investigate(derived.id).bundle, encoding="utf-8")

    status = json.loads(bundle.read_text(encoding="utf-8"))["status"]
    checked = subprocess.run(
        [sys.executable, TOOL, bundle, "--key", memory.signer.key],
        capture_output=True,
        check=False,
        text=True,
    )

    assert {(one["supported"], one["fresh"]) for one in status.values()} == {(True, False)}
    assert (checked.returncode, checked.stdout) == (0, "OK\n")
    revisions = [
        (one["prov:generatedEntity"], one["prov:usedEntity"])
        for one in json.loads(kim.prov())["wasDerivedFrom"].values()
        if one.get("prov:type", {}).get("$") == "prov:Revision"
    ]
    assert revisions == [(f"source:{new.id}", f"source:{page.id}")]


def test_by_file_and_it_is_in_the_journal(quick: Callable[..., Memory], tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [
        {"type": "document", "key": "v1", "person": "kim", "origin": PAGE, "text": OLD},
        {
            "type": "claim", "key": "c", "person": "kim", "kind": "external", "sources": ["v1"],
            "text": "The owner is Lee.",
        },
        {"type": "document", "key": "v2", "person": "kim", "origin": PAGE, "text": NEW, "replaces": "v1"},
        {"type": "message", "key": "m1", "person": "kim", "text": "열 시"},
        {"type": "message", "key": "m2", "person": "kim", "text": "열한 시", "replaces": "m1"},
        {"type": "document", "person": "kim", "origin": PAGE, "text": "x", "replaces": "nothing"},
    ]  # fmt: skip
    with quick("file") as memory:
        given = [json.dumps(line) for line in lines]
        report = memory.ingest(given)
        assert [(error.line, error.error) for error in report.errors] == [(6, "not_found")]
        assert memory.ingest(given).accepted == 0
        assert [one.standing for one in memory.session(person="kim").claims()] == ["stale"]
        assert memory.rebuild() and memory.verify().findings == ()
    with quick("file") as memory:
        kim = memory.session(person="kim")
        assert [one.standing for one in kim.claims()] == ["stale"]
        replaced: list[Source] = []
        for item in kim.stale():
            replaced += [kim.source(one.replaced_by) for one in item.causes]
        assert [source.text for source in replaced] == [NEW]
        assert memory.rebuild() and memory.verify().findings == ()
