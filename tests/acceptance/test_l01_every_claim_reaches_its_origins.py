"""L01: source, summary and derived claim are edges that can be walked both ways, with the quoted spans."""

from collections.abc import Callable

import duckdb
import pytest

from muniment import Claim, Memory, NotFoundError, Session, Source

HOPS = 5


def chain(kim: Session, bot: Session) -> tuple[Source, list[Claim]]:
    """Return a message and a chain of five steps that ends in it."""
    said = kim.message("회의에서: 매주 금요일에 배포한다. 그 밖에는 없다.")
    made = [kim.remember("매주 금요일에 배포한다", kind="stated", sources=[said])]
    for hop in range(1, HOPS):
        made.append(bot.remember(f"{hop}번째 요약: 금요일 배포", sources=[made[-1]]))
    return said, made


def test_a_chain_of_five_hops_is_walked_down_to_the_span(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said, made = chain(kim, bot)

    trace = kim.trace(made[-1])

    assert [(node.depth, node.id) for node in trace.nodes] == [
        (-HOPS, said.id),
        *((place - HOPS + 1, claim.id) for place, claim in enumerate(made)),
    ]
    assert [node.sort for node in trace.nodes] == ["source", *["claim"] * HOPS]
    (quotes,) = [edge for edge in trace.edges if edge.relation == "quotes"]
    assert (quotes.from_id, quotes.to_id) == (made[0].id, said.id)
    assert said.text[quotes.start : quotes.end] == "매주 금요일에 배포한다"
    assert {(edge.from_id, edge.to_id) for edge in trace.edges if edge is not quotes} == {
        (above.id, below.id) for below, above in zip(made, made[1:], strict=False)
    }


def test_and_up_to_everything_that_rests_on_it(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said, made = chain(kim, bot)

    trace = kim.trace(made[0])

    assert [(node.depth, node.id) for node in trace.nodes] == [
        (-1, said.id),
        *((place, claim.id) for place, claim in enumerate(made)),
    ]
    middle = kim.trace(made[2])
    assert sorted(node.depth for node in middle.nodes) == [-3, -2, -1, 0, 1, 2]


def test_why_leads_down_to_the_words_and_their_author(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said, made = chain(kim, bot)

    (line,) = kim.why(made[-1]).lines

    last = line.path[-1]
    assert [step.depth for step in line.path] == list(range(1, HOPS + 1))
    assert (last.citation.id, last.citation.author) == (said.id, who)
    assert last.citation.quote == "매주 금요일에 배포한다"


def test_a_claim_from_several_sources_reaches_them_all(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    page = kim.document("배포는 금요일", origin="https://wiki.example/ops")
    result = kim.tool_result("deploy_status", {"environment": "staging"})
    said = kim.message("둘 다 봤다")

    claim = kim.remember("금요일에 staging", sources=[page, result, said])

    trace = kim.trace(claim)
    assert {node.id for node in trace.nodes if node.depth == -1} == {page.id, result.id, said.id}
    assert set(claim.origins) == {
        "origin:https://wiki.example/ops",
        "tool:deploy_status",
        f"person:{who}",
    }


def test_the_walk_is_the_same_after_reopening(quick: Callable[..., Memory]) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    _, made = chain(kim, bot)
    before = [kim.trace(claim) for claim in made]
    memory.close()

    kim = quick().session(person="kim")

    assert [kim.trace(claim) for claim in made] == before


def test_the_walk_is_the_same_after_a_rebuild(quick: Callable[..., Memory]) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    _, made = chain(kim, bot)
    before = [kim.trace(claim) for claim in made]

    assert memory.rebuild()

    assert [kim.trace(claim) for claim in made] == before


def test_a_replacement_and_a_challenge_are_edges_too(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said = kim.message("금요일에 배포. 아니 월요일에 배포.")
    old = kim.remember("금요일에 배포", kind="stated", sources=[said])
    challenge = bot.correct(old, "화요일에 배포하는 것 같다", sources=[said])
    new = kim.correct(old, "월요일에 배포", sources=[said])

    edges = {(edge.from_id, edge.to_id): edge.relation for edge in kim.trace(old).edges}

    assert edges[challenge.id, old.id] == "challenges"
    assert edges[new.id, old.id] == "corrects"


def test_from_the_source_up_to_everything_that_rests_on_it(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said, made = chain(kim, bot)

    trace = kim.trace(said)

    assert [(node.depth, node.id) for node in trace.nodes] == [
        *((0, said.id), *((place, claim.id) for place, claim in enumerate(made, 1)))
    ]
    (quotes,) = [edge for edge in trace.edges if edge.relation == "quotes"]
    assert said.text[quotes.start : quotes.end] == made[0].quote
    with pytest.raises(NotFoundError):
        memory.session(person=f"{who} lee").trace(said)


def test_the_edges_stand_in_the_graph_file_and_are_walked_there_both_ways(
    quick: Callable[..., Memory],
) -> None:
    memory = quick()
    said, made = chain(memory.session(person="kim"), memory.session(person="kim", agent="bot"))
    memory.close()

    with duckdb.connect(str(memory.store.folder / "lineage.duckdb"), read_only=True) as graph:
        walk = """
            WITH RECURSIVE edge AS (SELECT claim AS above, node AS below FROM antecedent),
            walked AS (
                SELECT seq AS node, 0 AS depth FROM record WHERE id = ?
                UNION SELECT {there}, depth + 1 FROM walked JOIN edge ON {here} = node
            )
            SELECT id, depth FROM walked JOIN record ON seq = node ORDER BY depth
        """
        down = graph.execute(walk.format(there="below", here="above"), [made[-1].id]).fetchall()
        up = graph.execute(walk.format(there="above", here="below"), [said.id]).fetchall()
        span = graph.execute(
            "SELECT first, past FROM span JOIN record ON record.seq = source WHERE id = ?",
            [said.id],
        ).fetchall()

    chained = [said.id, *(claim.id for claim in made)]
    assert up == [(name, depth) for depth, name in enumerate(chained)]
    assert down == [(name, depth) for depth, name in enumerate(reversed(chained))]
    ((first, past),) = span
    assert said.text[first:past] == "매주 금요일에 배포한다"
