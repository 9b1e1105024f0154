"""Replays of group D: the exact words behind a claim, and a search whose result is enough to act on."""

from muniment import Session

from .conftest import recalled, stated


def test_m_d1_why_names_the_exact_message_and_span(kim: Session, bot: Session) -> None:
    turns = ("hello", "well: I live in Busan now. 🌊 부산이 좋다.", "bye")
    messages = [kim.message(text) for text in turns]
    for words in ("I live in Busan now.", "부산이 좋다."):
        claim = bot.remember(words, kind="stated", sources=messages)
        (line,) = kim.why(claim).lines
        quoted = [step.citation for step in line.path if step.citation.quote]

        (one,) = quoted
        assert (one.id, one.quote, one.author) == (messages[1].id, words, "kim")
        assert messages[1].text[one.start : one.end] == words
        receipt = kim.recall("Busan 부산").receipt
        lines = {told.claim.id: told for told in kim.why(receipt).lines}
        assert [step.citation for step in lines[claim.id].path if step.citation.quote] == quoted


def test_m_d3_what_a_search_gave_is_enough_to_withdraw_and_to_erase(kim: Session) -> None:
    stated(kim, "I live in Busan")
    stated(kim, "I like tea")

    kim.retract(kim.recall("where do I live?").evidence[0].claim)
    assert recalled(kim, "where do I live?") == ["I like tea"]

    kim.erase(kim.recall("tea").evidence[0].claim)
    assert recalled(kim, "tea") == []
