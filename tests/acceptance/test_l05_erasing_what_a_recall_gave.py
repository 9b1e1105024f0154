"""L05: what a recall put into a message goes with what it repeats; the rest of the message stays where it was."""

import json
from collections.abc import Callable
from typing import NamedTuple

import pytest

from muniment import ErasedError, Memory, RefusedError, Session, Source
from muniment.claims import Claim, Standing
from muniment.testing import findings
from muniment.tools import verify_raw

from .conftest import Kept
from .test_l05_erasing import Open, all_words

SAID = {
    "en": "The canarymarmalade budget of the garden gate is forty thousand crowns this year.",
    "ko": "정원문 카나리아마멀레이드 예산은 올해 사만 크로네로 잡혀 있습니다.",
    "mixed": "apollo 팀의 canarymarmalade 예산은 this year 사만 crowns 로 확정했습니다.",
}
OWN = "So I answered: 반올림해서 very little is left."


class Told(NamedTuple):
    """A claim, the message of an agent that repeats it beside words of its own, and what was drawn from each part."""

    said: Source
    claim: Claim
    turn: Source
    of_recalled: Claim
    of_own: Claim
    of_all: Claim


def told(memory: Memory, said: str) -> Told:
    """Let an agent recall what a person said, and bring it into its own message."""
    kim: Session = memory.session(person="kim")
    bot = memory.session(person="kim", agent="bot")
    first = kim.message(said)
    claim = kim.remember(said, kind="stated", sources=[first])
    receipt = bot.recall(said[:30], purpose="answer").receipt
    turn = bot.message(parts=[("recalled", said, receipt), ("own", OWN)])
    return Told(
        first,
        claim,
        turn,
        bot.remember(said[:40], kind="external", sources=[turn], subject="canarysubject"),
        bot.remember("very little is left", kind="external", sources=[turn]),
        bot.remember("The gate has money of its own.", sources=[turn]),
    )


@pytest.mark.parametrize("language", SAID)
def test_no_key_opens_the_part_and_the_rest_stays_where_it_was(language: str, quick: Open) -> None:
    memory = quick()
    made = told(memory, SAID[language])
    kim = memory.session(person="kim")

    foreseen = kim.erase(made.said, dry_run=True)
    erased = kim.erase(made.said)

    assert foreseen.recalled == erased.recalled == 1
    assert foreseen.claims == erased.claims
    assert made.turn.id not in (*erased.remaining, *erased.sources)
    left = all_words(memory.store)
    assert SAID[language] not in left and "canarysubject" not in left
    kept = kim.source(made.turn.id)
    assert kept.text == "█" * len(SAID[language]) + OWN
    (citation,) = kim.claim(made.of_own.id).citations
    assert (citation.id, citation.quote) == (made.turn.id, "very little is left")
    for gone in (made.claim, made.of_recalled, made.of_all):
        with pytest.raises(ErasedError):
            kim.claim(gone.id)
    assert findings(memory) == ()
    assert memory.verify(mode="full").findings == ()


def test_opened_again_made_anew_and_explained_it_is_the_same(quick: Open) -> None:
    memory = quick()
    made = told(memory, SAID["en"])
    memory.session(person="kim").erase(made.said)
    memory.close()
    memory = quick()
    kim = memory.session(person="kim")

    memory.store.rebuild()

    assert kim.source(made.turn.id).text == "█" * len(SAID["en"]) + OWN
    assert "canarymarmalade" not in json.dumps([line for line in kim.export()], default=str)
    report = kim.investigate(made.of_own)
    assert "canarymarmalade" not in report.bundle + json.dumps(report.model_dump(mode="json"))
    assert verify_raw(report.bundle.encode(), memory.signer.key) == []
    assert findings(memory) == ()


def test_a_message_of_nothing_else_goes_whole(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = kim.message(SAID["mixed"])
    kim.remember(SAID["mixed"], kind="stated", sources=[said])
    receipt = bot.recall("canarymarmalade", purpose="answer").receipt
    turn = bot.message(parts=[("recalled", SAID["mixed"], receipt)])

    erased = kim.erase(said)

    assert set(erased.sources) == {said.id, turn.id} and erased.recalled == 0
    with pytest.raises(ErasedError):
        kim.source(turn.id)


def test_a_hold_on_the_message_holds_its_part(quick: Open) -> None:
    memory = quick()
    made = told(memory, SAID["en"])
    memory.hold(made.turn.id, reason="the court asked")

    with pytest.raises(RefusedError) as refused:
        memory.session(person="kim").erase(made.said)

    assert refused.value.decision.rule == "ON_LEGAL_HOLD"
    assert memory.session(person="kim").source(made.turn.id).text == SAID["en"] + OWN


def test_an_old_backup_does_not_bring_the_part_back(kept: Kept) -> None:
    memory = kept.open()
    made = told(memory, SAID["ko"])
    kept.mirror_keys(memory)
    backup = kept.back_up(memory, "old")
    memory.session(person="kim").erase(made.said)
    kept.mirror_keys(memory)
    memory.close()

    kept.restore(backup)

    again = kept.open("restored")
    assert again.session(person="kim").source(made.turn.id).text == "█" * len(SAID["ko"]) + OWN
    assert SAID["ko"] not in all_words(again.store)
    assert again.verify(mode="full").findings == ()


def _erase_by_the_claim(kim: Session, made: Told) -> None:
    kim.erase(made.claim)


def _erase_the_message(kim: Session, made: Told) -> None:
    kim.erase(made.said)


@pytest.mark.parametrize("way", [_erase_by_the_claim, _erase_the_message])
def test_the_certificate_says_that_nothing_opens(
    way: Callable[[Session, Told], None], quick: Open
) -> None:
    memory = quick()
    made = told(memory, SAID["en"])
    kim = memory.session(person="kim")

    way(kim, made)

    certificate = memory.certificate(memory.store.state.names[memory.store.state.erasures[-1]])
    assert "said again" not in {one.what for one in certificate.remains}
    assert certificate.searched.payloads_opened == 0 and certificate.searched.payloads >= 5


@pytest.mark.parametrize("language", SAID)
def test_what_was_drawn_from_it_is_stale_once_the_claim_was_wrong(
    language: str, quick: Open
) -> None:
    memory = quick()
    made = told(memory, SAID[language])
    kim = memory.session(person="kim")

    kim.correct(made.claim, "아무 예산도 없다", sources=[kim.message("아무 예산도 없다")])

    standing = {one.id: one.standing for one in kim.claims()}
    assert standing[made.of_recalled.id] == standing[made.of_all.id] == Standing.STALE
    assert standing[made.of_own.id] == Standing.ACTIVE
    (_, cited) = kim.claim(made.of_all.id).citations
    assert cited.id == made.claim.id


def test_what_says_itself_again_does_not_rest_on_itself(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    page = kim.document(SAID["en"], origin="https://one.example")
    claim = bot.remember(SAID["en"], kind="external", sources=[page])
    receipt = bot.recall("budget", purpose="answer").receipt
    turn = bot.message(parts=[("recalled", SAID["en"], receipt), ("own", OWN)])

    again = bot.remember(SAID["en"], kind="external", sources=[turn])

    assert (again.id, again.seen_count) == (claim.id, 2)
    assert claim.id not in {one.id for one in again.citations}
    assert bot.evidence_of(again).independent == 1 and findings(memory) == ()


def test_of_two_things_recalled_together_one_goes_and_what_was_drawn_from_the_other_stays(
    quick: Open,
) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    first, second = (kim.message(SAID[name]) for name in ("en", "ko"))
    one, other = (
        kim.remember(said.text, kind="stated", sources=[said]) for said in (first, second)
    )
    receipt = bot.recall("budget 예산", purpose="answer").receipt
    turn = bot.message(
        parts=[("recalled", f"{SAID['en']}\n{SAID['ko']}", receipt), ("own", f"\n{OWN}")]
    )
    of_first = bot.remember(SAID["en"], kind="external", sources=[turn])
    of_second = bot.remember(SAID["ko"], kind="external", sources=[turn])

    assert [{cited.id for cited in claim.citations} for claim in (of_first, of_second)] == [
        {turn.id, one.id},
        {turn.id, other.id},
    ]
    kim.erase(first)

    with pytest.raises(ErasedError):
        kim.claim(of_first.id)
    assert kim.claim(of_second.id).words == SAID["ko"]
    assert findings(memory) == ()
