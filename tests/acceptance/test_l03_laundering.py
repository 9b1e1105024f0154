"""L03: what comes back in by way of an answer neither erases its origin nor multiplies it."""

from collections.abc import Callable

import pytest

from muniment import Claim, Memory, NotFoundError, Session, Source, Support
from muniment.claims import DiscloseRecord, header_bytes

WIKI = "https://wiki.example/deploy"
KOREAN = "배포는 금요일 오후에 한다"
ENGLISH = "We deploy the berth planner to staging every Friday afternoon"
MIXED = "Berth planner는 금요일 오후마다 staging에 deploy 한다"
SAID = (KOREAN, ENGLISH, MIXED)


def people(memory: Memory, who: str) -> tuple[Session, Session, Session]:
    """Return a person and two agents that act for her."""
    return (
        memory.session(person=who),
        memory.session(person=who, agent="first"),
        memory.session(person=who, agent="second"),
    )


def kept(kim: Session, words: str, origin: str = WIKI) -> Claim:
    """Return a claim that rests on one page."""
    page = kim.document(f"Kept at {origin}: {words}. End of page.", origin=origin)
    return kim.remember(words, kind="external", sources=[page])


def counted(found: Support) -> tuple[int, int]:
    """Return the origins behind a claim and how many of them are independent."""
    return found.origins, found.independent


@pytest.mark.parametrize("words", SAID)
def test_claim_answer_new_document_claim(memory: Memory, who: str, words: str) -> None:
    kim, first, second = people(memory, f"{who} {words}")
    claim = kept(kim, words)
    answer = first.recall(words).evidence[0].claim.words

    report = second.document(
        f"Weekly report, number 7.\n\n{answer}.\n\nNothing else happened.",
        origin="https://reports.example/7",
    )
    again = second.remember(words, kind="external", sources=[report])
    summary = second.remember("deploys: Fri pm", sources=[report])

    assert again.id == claim.id
    assert counted(kim.evidence_of(claim)) == (1, 1)
    assert [(echo.of, echo.sort) for echo in report.echoes] == [(claim.id, "echo")]
    assert report.text[report.echoes[0].start : report.echoes[0].end].startswith(words)
    assert kim.evidence_of(summary).independent == 1
    assert f"the page {WIKI}" in kim.evidence_of(summary).single_points
    day = report.echoes[0].given_at
    assert day is not None
    why = f"1 mention says again what was recalled on {day.date()}: no new evidence"
    assert why in kim.evidence_of(claim).why
    edges = {(edge.from_id, edge.to_id) for edge in kim.trace(summary).edges}
    assert {(summary.id, report.id), (report.id, claim.id)} <= edges


def test_before_it_was_given_out_a_second_page_is_a_second_origin(memory: Memory, who: str) -> None:
    kim, _, _ = people(memory, who)
    claim = kept(kim, ENGLISH)
    kept(kim, ENGLISH, origin="https://other.example/post")
    assert counted(kim.evidence_of(claim)) == (2, 2)

    kim.recall(ENGLISH)
    kept(kim, ENGLISH, origin="https://third.example/post")

    assert counted(kim.evidence_of(claim)) == (2, 2)


def test_what_is_said_beside_an_echo_keeps_its_origin(memory: Memory, who: str) -> None:
    kim, bot, _ = people(memory, who)
    kept(kim, ENGLISH)
    bot.recall(ENGLISH)

    page = bot.document(
        f"{ENGLISH}. The crane is repaired on Mondays.", origin="https://port.example"
    )
    crane = bot.remember("The crane is repaired on Mondays.", kind="external", sources=[page])

    assert kim.evidence_of(crane).single_points == ("the page https://port.example",)


def test_half_of_it_is_held_as_a_possible_echo_and_counts_for_nothing(
    memory: Memory, who: str
) -> None:
    kim, bot, _ = people(memory, who)
    kept(kim, "the night shift hands the keys over to the harbour office at six every morning")
    bot.recall("keys")

    changed = "the night shift hands the keys over to the harbour master before she leaves"
    page = bot.document(changed, origin="https://gossip.example")
    claim = bot.remember(changed, kind="external", sources=[page])

    assert [echo.sort for echo in page.echoes] == ["possible"]
    found = kim.evidence_of(claim)
    assert (found.independent, found.mentions) == (0, 1)
    assert "may say again what was recalled on" in " ".join(found.why)


def test_a_persons_own_words_stay_hers_and_are_no_second_origin(memory: Memory, who: str) -> None:
    kim, bot, _ = people(memory, who)
    outside = kept(kim, ENGLISH)
    bot.recall(ENGLISH)

    said = kim.message(ENGLISH)
    hers = kim.remember(ENGLISH, kind="stated", sources=[said])
    both = bot.remember("Fridays, staging", sources=[hers])
    bot.remember("Fridays, staging", sources=[outside])

    assert (hers.kind, hers.integrity.name) == ("stated", "USER")
    assert counted(kim.evidence_of(both)) == (1, 1)


def test_a_correction_of_hers_that_repeats_most_of_it_is_her_own_word(
    memory: Memory, who: str
) -> None:
    kim, bot, _ = people(memory, who)
    kept(kim, ENGLISH)
    bot.recall(ENGLISH)

    changed = ENGLISH.replace("afternoon", "morning")
    hers = kim.remember(changed, kind="stated", sources=[kim.message(changed)])

    assert kim.evidence_of(hers).single_points == (who,)


def test_what_she_said_again_after_the_first_was_erased_is_evidence_by_itself(
    memory: Memory, who: str
) -> None:
    kim, bot, _ = people(memory, who)
    first = kim.message(f"{KOREAN}.")
    claim = kim.remember(KOREAN, kind="stated", sources=[first])
    bot.recall(KOREAN)
    second = kim.message(f"다시, {KOREAN}.")
    kim.remember(KOREAN, kind="stated", sources=[second])
    assert counted(kim.evidence_of(claim)) == (1, 1)

    erasure = kim.erase(first)

    assert counted(kim.evidence_of(claim)) == (1, 1)
    assert kim.evidence_of(claim).single_points == (who,)
    assert second.id not in erasure.sources


def test_a_claim_put_into_words_that_were_recalled_leans_on_what_was_recalled(
    memory: Memory, who: str
) -> None:
    kim, bot, other = people(memory, who)
    bot.remember(ENGLISH, sources=[kim.document("Fri 3pm: staging", origin=WIKI)])
    bot.recall(ENGLISH)

    elsewhere = kim.document("A page about cranes", origin="https://cranes.example")
    made = other.remember(f"{ENGLISH}.", category="decision", sources=[elsewhere])

    found = kim.evidence_of(made)
    assert (found.independent, len(found.single_points)) == (1, 2)


def test_a_tools_typed_field_is_an_observation_and_its_free_text_may_be_an_echo(
    memory: Memory, who: str
) -> None:
    kim, bot, _ = people(memory, who)
    result = bot.tool_result("deploy_status", {"environment": "staging"})
    claim = bot.remember("x", kind="observed", sources=[result], field="environment")
    outside = kept(kim, ENGLISH)
    bot.recall(ENGLISH)

    again = bot.tool_result("deploy_status", {"environment": "staging"}, text=ENGLISH)

    assert [echo.of for echo in again.echoes] == [outside.id]
    assert again.echoes[0].start >= len("environment: staging\n")
    bot.remember("x", kind="observed", sources=[again], field="environment")
    assert counted(kim.evidence_of(claim)) == (1, 1)


def test_what_a_search_an_export_or_an_agent_gave_out_is_known_again(
    memory: Memory, who: str
) -> None:
    ways: tuple[Callable[[Session, Session, Source], object], ...] = (
        lambda kim, bot, said: bot.search_conversations(said.text),
        lambda kim, bot, said: list(kim.export()),
        lambda kim, bot, said: bot.source(said.id),
        lambda kim, bot, said: (bot.rewrite_block(ENGLISH, sources=[said]), bot.block()),
    )
    for place, give in enumerate(ways):
        kim, bot, other = people(memory, f"{who} {place}")
        said = kim.message(ENGLISH)
        give(kim, bot, said)

        page = other.document(f"Report: {ENGLISH}", origin="https://reports.example")
        claim = other.remember(ENGLISH, kind="external", sources=[page])

        assert [echo.of for echo in page.echoes] == [said.id]
        assert kim.evidence_of(claim).single_points == (f"{who} {place}",)
        assert "what was given out on" in " ".join(kim.evidence_of(claim).why)


def test_what_is_given_out_is_written_down_once_with_its_rule(
    quick: Callable[..., Memory],
) -> None:
    memory = quick("given")
    kim, bot, _ = people(memory, "kim")
    said, claim = kim.message(ENGLISH), kept(kim, ENGLISH)
    assert kim.source(said.id).id == said.id
    assert len(list(kim.claims())) == 1
    before = memory.store.state.seq

    for _ in range(3):
        bot.source(said.id)
        bot.claim(claim.id)
        bot.why(claim)
        bot.trace(claim)
        assert [one.id for one in bot.claims()] == [claim.id]
        assert len(list(kim.export())) == 5

    given = [memory.store.header(seq) for seq in range(before + 1, memory.store.state.seq + 1)]
    records = [header for header in given if isinstance(header, DiscloseRecord)]
    assert {header.decision.rule for header in records} == {"DISCLOSED"}
    things = [thing for header in records for thing in header.things]
    assert len(things) == len(set(things)) == 3
    assert {said.id, claim.id} < set(things)
    assert ENGLISH.encode() not in b"".join(map(header_bytes, records))


def test_nobody_learns_what_another_was_told(memory: Memory, who: str) -> None:
    kim, bot, _ = people(memory, who)
    kept(kim, ENGLISH)
    bot.recall(ENGLISH)
    lee = memory.session(person=f"lee {who}")

    page = lee.document(ENGLISH, origin="https://port.example")
    claim = lee.remember(ENGLISH, kind="external", sources=[page])

    assert page.echoes == ()
    assert lee.evidence_of(claim).single_points == ("the page https://port.example",)
    assert all("again" not in line for line in lee.evidence_of(claim).why)


def test_in_a_channel_only_she_sees_that_she_repeats_what_is_hers(memory: Memory, who: str) -> None:
    here = memory.session(person=who, channel=f"ops {who}")
    there = memory.session(person=f"lee {who}", channel=f"ops {who}")
    kept(memory.session(person=who), ENGLISH)
    memory.session(person=who).recall(ENGLISH)

    said = here.message(ENGLISH)
    seen = there.source(said.id)
    claim = there.remember(ENGLISH, kind="external", sources=[seen])

    assert [len(said.echoes), len(seen.echoes)] == [1, 0]
    assert there.evidence_of(claim).single_points == (who,)
    assert {node.sort for node in there.trace(claim).nodes} == {"claim", "source"}
    assert there.trace(claim).hidden == 0


def test_by_way_of_another_persons_page_it_comes_back_as_what_it_was(
    memory: Memory, who: str
) -> None:
    kim = memory.session(person=who, channel=f"ops {who}")
    lee = memory.session(person=f"lee {who}", channel=f"ops {who}")
    page = kim.document(f"Handbook. {ENGLISH}.", origin=WIKI)
    claim = kim.remember(ENGLISH, kind="external", sources=[page])
    kim.recall(ENGLISH)

    copied = lee.document(f"Seen today: {ENGLISH}!", origin="https://lee.example")
    kim.remember(ENGLISH, kind="external", sources=[copied])
    summary = kim.remember("Fridays: staging", sources=[copied])
    kim.remember("Fridays: staging", sources=[claim])

    assert copied.echoes == ()
    assert kim.evidence_of(claim).independent == 1
    assert kim.evidence_of(summary).independent == 1


def test_two_members_who_say_the_same_are_two(memory: Memory, who: str) -> None:
    kim = memory.session(person=who, channel=f"ops {who}")
    lee = memory.session(person=f"lee {who}", channel=f"ops {who}")
    kim.remember(ENGLISH, kind="stated", sources=[kim.message(ENGLISH)])
    kim.recall(ENGLISH)
    theirs = lee.message(f"By the way: {ENGLISH}")

    quoted = kim.remember(ENGLISH, kind="external", sources=[theirs])
    summary = kim.remember("Fridays: staging", sources=[theirs])

    for claim in (quoted, summary):
        assert kim.evidence_of(claim).single_points == (f"lee {who}",)


def test_recalled_context_is_kept_and_never_taken_for_what_was_said(
    memory: Memory, who: str
) -> None:
    kim, bot, _ = people(memory, who)
    claim = kept(kim, ENGLISH)
    answer = bot.recall(ENGLISH)
    said = kim.message(
        parts=[("recalled", ENGLISH, answer.receipt), ("own", "\nYes, and tell me before.")]
    )

    asked = kim.remember(ENGLISH, kind="stated", sources=[said])

    assert [part.label for part in said.parts] == ["recalled", "own"]
    assert (asked.id, asked.kind, asked.integrity.name) == (claim.id, "external", "EXTERNAL")
    assert asked.decision.rule == "NOT_OWN_PART"
    assert counted(kim.evidence_of(claim)) == (1, 1)
    hits = kim.search_conversations("deploy the berth planner").hits
    assert all("berth planner" not in hit.excerpt for hit in hits)
    loose = bot.message(parts=[("recalled", "a wording of the host's own", answer.receipt)])
    assert [echo.of for echo in loose.echoes] == [claim.id]
    with pytest.raises(NotFoundError):
        kim.message(parts=[("recalled", ENGLISH, "AAAAAAAAAAAAAAAAAAAAAA")])


def test_fifty_turns_by_two_agents(memory: Memory, who: str) -> None:
    kim, first, second = people(memory, who)
    claim = kept(kim, MIXED)
    for turn in range(50):
        asks, writes = (first, second) if turn % 2 else (second, first)
        words = asks.recall(MIXED).evidence[0].claim.words
        page = writes.document(f"No. {turn}: {words}.", origin=f"https://news.example/{turn}")
        writes.remember(MIXED, kind="external", sources=[page])
        made = writes.remember(f"on Fridays, says no. {turn % 3}", sources=[page])
        assert kim.evidence_of(made).independent <= 1

    found = kim.evidence_of(claim)
    assert (found.independent, found.exact, found.origins, found.mentions) == (1, True, 1, 51)


def test_it_is_in_the_journal_and_outlasts_the_process(quick: Callable[..., Memory]) -> None:
    with quick("echoes") as memory:
        kim, bot, _ = people(memory, "kim")
        claim = kept(kim, KOREAN)
        bot.search_conversations("배포")
        bot.recall(KOREAN)
        before = kim.document(f"보고: {KOREAN}", origin="https://a.example")
        assert memory.rebuild() and memory.verify().findings == ()
    with quick("echoes") as memory:
        kim, bot, _ = people(memory, "kim")
        after = kim.document(f"또 보고: {KOREAN}", origin="https://b.example")
        for page in (before, after):
            assert [echo.of for echo in kim.source(page.id).echoes] == [claim.id]
            kim.remember(KOREAN, kind="external", sources=[page])
        assert counted(kim.evidence_of(claim)) == (1, 1)
        assert memory.rebuild() and memory.verify().findings == ()


def test_erasing_names_what_says_it_again(memory: Memory, who: str) -> None:
    kim, bot, _ = people(memory, who)
    claim = kept(kim, ENGLISH)
    bot.recall(ENGLISH)
    page = bot.document(f"Report: {ENGLISH}", origin="https://reports.example")
    other = bot.remember("report: Fridays", sources=[page])

    erasure = kim.erase(claim)

    assert page.id in erasure.remaining
    assert kim.evidence_of(other).independent == 0
