"""M-A7: a note made from a claim that was corrected is not served as current, and the link says why."""

from muniment import Memory


def test_m_a7_a_note_from_version_one_says_what_changed_beneath_it(memory: Memory) -> None:
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = "우리는 staging에 배포한다"
    first = kim.remember(said, kind="stated", sources=[kim.message(said)])
    note = bot.remember("check the staging cluster before a deploy", sources=[first])
    now = "우리는 production에 배포한다"
    second = kim.correct(first, now, sources=[kim.message(now)])

    for asked in (said, "staging cluster", now):
        answer = kim.recall(asked)
        assert [item.claim.id for item in answer.evidence] == [second.id]
        assert {"STALE", "CORRECTED"} <= {item.rule for item in answer.withheld}
    assert kim.recall(said, purpose="act").evidence[0].claim.id == second.id
    (waiting,) = kim.stale()
    (cause,) = waiting.causes
    assert (waiting.claim.id, cause.id, cause.words) == (note.id, first.id, said)
    assert (cause.standing, cause.replaced_by) == ("corrected", second.id)
    traced = {(edge.from_id, edge.to_id, edge.relation) for edge in kim.trace(note).edges}
    assert (note.id, first.id, "derived_from") in traced
