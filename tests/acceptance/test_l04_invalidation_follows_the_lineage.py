"""L04: what loses its ground becomes stale, what has another stands; the cost is that of what is affected."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import Claim, ErasedError, Memory, NotFoundError, RefusedError, Session, Source
from muniment.lineage import State
from muniment.testing import findings, flat_embedder, label_findings


def chain(memory: Memory, who: str) -> tuple[Session, Session, list[Claim]]:
    """Return a person, her agent, and a statement with two things derived from it, one after the other."""
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said = kim.message("서버는 서울에 있다")
    made = [kim.remember("서버는 서울에 있다", kind="stated", sources=[said])]
    for text in ("지연은 낮다", "한국에서 쓰기 좋다"):
        made.append(bot.remember(text, sources=[made[-1]]))
    return kim, bot, made


def standings(kim: Session, made: list[Claim]) -> list[str]:
    return [kim.claim(one.id).standing.value for one in made]


def test_without_another_justification_it_is_stale_and_with_one_it_stands(
    memory: Memory, who: str
) -> None:
    kim, bot, made = chain(memory, who)
    page = kim.document("측정: 지연이 낮다", origin="https://ping.example")
    rescued = bot.remember("응답이 빠르다", sources=[made[0]])
    memory.session(person=who, agent="bot").remember("응답이 빠르다", sources=[page])

    kim.retract(made[0])

    assert standings(kim, made) == ["retracted", "stale", "stale"]
    twice = [one for one in kim.claims() if one.words == rescued.words]
    assert [one.standing.value for one in twice if one.citations[-1].id == page.id] == ["active"]


def test_reinstated_it_carries_again_what_it_carried(memory: Memory, who: str) -> None:
    kim, bot, made = chain(memory, who)
    kim.retract(made[0], reason="착각")

    with pytest.raises(RefusedError) as refused:
        bot.reinstate(kim.claim(made[0].id))
    back = kim.reinstate(kim.claim(made[0].id), reason="착각이 아니었음")

    assert refused.value.decision.rule == "LOWER_CHANGE"
    assert (back.version, back.standing) == (3, "active")
    assert standings(kim, made) == ["active"] * 3
    assert [change.verb for change in kim.history(back)] == ["remember", "retract", "reinstate"]
    with pytest.raises(RefusedError) as refused:
        kim.reinstate(back)
    assert refused.value.decision.rule == "NOT_WITHDRAWN"


def test_a_reinstated_claim_and_what_replaced_it_contradict_each_other(
    memory: Memory, who: str
) -> None:
    kim, _, made = chain(memory, who)
    new = kim.supersede(made[0], "서버는 부산에 있다", sources=[kim.message("서버는 부산에 있다")])

    back = kim.reinstate(kim.claim(made[0].id))

    assert (back.standing, back.replaced_by, back.valid_to) == ("contested", "", None)
    uses = {item.claim.id: item.use for item in kim.recall("서버는 어디에 있나").evidence}
    assert (uses[back.id], uses[new.id]) == ("tentative", "applicable")


def test_a_challenge_leaves_the_other_as_it_is_and_a_read_gives_both(
    memory: Memory, who: str
) -> None:
    kim, _, made = chain(memory, who)
    text = "서버는 도쿄에 있다"

    new = kim.challenge(made[0], text, sources=[kim.message(text)])

    assert (new.challenges, new.kind) == ((made[0].id,), "stated")
    assert kim.claim(made[0].id).version == made[0].version
    found = {item.claim.id for item in kim.recall("서버는 어디에 있나").evidence}
    assert {made[0].id, new.id} <= found


def test_what_is_stale_is_listed_with_what_changed_and_made_anew(memory: Memory, who: str) -> None:
    kim, bot, made = chain(memory, who)
    new = kim.correct(made[0], "서버는 도쿄에 있다", sources=[kim.message("서버는 도쿄에 있다")])

    waiting = {item.claim.id: item for item in kim.stale()}
    assert waiting.keys() == {made[1].id, made[2].id}
    for item in waiting.values():
        (cause,) = item.causes
        assert (cause.id, cause.standing, cause.replaced_by) == (made[0].id, "corrected", new.id)

    seen = kim.claim(made[1].id)
    with pytest.raises(RefusedError) as refused:
        bot.regenerate(seen, "지연은 높다", sources=[made[2]])
    assert refused.value.decision.rule == "STALE"
    anew = bot.regenerate(seen, "지연은 높다", sources=[new])

    assert (anew.standing, anew.supersedes) == ("active", (made[1].id,))
    assert [item.claim.id for item in kim.stale()] == [made[2].id]
    with pytest.raises(RefusedError) as refused:
        bot.regenerate(anew, "지연은 아주 높다", sources=[new])
    assert refused.value.decision.rule == "NOT_STALE"


@settings(max_examples=8, deadline=None)
@given(chance=st.randoms(use_true_random=False))
def test_labels_equal_an_evaluation_from_scratch(
    tmp_path_factory: pytest.TempPathFactory, chance: random.Random
) -> None:
    with Memory.open(tmp_path_factory.mktemp("labels") / "s", embedder=flat_embedder()) as memory:
        kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
        said = [kim.message(f"말 {number}") for number in range(6)]
        made = [bot.remember(f"처음 {one.text}", sources=[one]) for one in said]
        for step in range(50):
            try:
                one_step(kim, bot, said, made, chance)
            except (RefusedError, ErasedError, NotFoundError):
                pass
            assert label_findings(memory.store.state) == (), step
        assert findings(memory) == ()


def one_step(
    kim: Session, bot: Session, said: list[Source], made: list[Claim], chance: random.Random
) -> None:
    """Revoke, give back, withdraw, reinstate, correct, erase or derive something."""
    place = chance.randrange(len(made))
    match chance.randrange(9):
        case 0:
            kim.revoke(said[place % 6])
        case 1:
            kim.give_back(said[place % 6])
        case 2:
            seen = kim.claim(made[place].id)
            (kim.retract if seen.standing != "retracted" else kim.reinstate)(seen)
        case 3 if place % 3 == 0:
            kim.erase(said[place % 6])
        case 4:
            text = f"고침 {chance.randrange(99)}"
            new = kim.correct(kim.claim(made[place].id), text, sources=[kim.message(text)])
            made.append(new)
        case _:
            things: list[Source | Claim] = [*said, *made]
            grounds = chance.sample(things, 2)
            made.append(bot.remember(f"이어서 {chance.randrange(12)}", sources=grounds))


class Counted(dict[int, list[int]]):
    """The edges to what rests on a thing, counting those that are followed."""

    followed = 0

    def get(self, key: int, default: object = None) -> list[int]:
        found = super().get(key, [])
        self.followed += len(found)
        return found


@pytest.mark.parametrize("verb", ["retract", "correct", "revoke", "erase"])
@pytest.mark.parametrize("size", [10, 300])
def test_the_edges_followed_are_those_of_what_is_affected(
    quick: Callable[..., Memory], size: int, verb: str
) -> None:
    memory = quick(embedder=flat_embedder())
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    roots = [
        kim.remember(f"말 {number}", kind="stated", sources=[kim.message(f"말 {number}")])
        for number in range(size)
    ]
    for number, root in enumerate(roots):
        bot.remember(f"따라서 {number}", sources=[root])
    state: State = memory.store.state
    one, text = roots[size // 2], kim.message("다른 말")
    counted = state.dependants = Counted(state.dependants)

    match verb:
        case "retract":
            kim.retract(one)
        case "correct":
            kim.correct(one, "다른 말", sources=[text])
        case "revoke":
            kim.revoke(one.citations[0].id)
        case _:
            kim.erase(one.citations[0].id)

    assert 0 < counted.followed <= 12
