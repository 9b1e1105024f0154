"""What a memory may do depends on where its words came from: laws over all requests and all chains."""

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from muniment.claims import (
    Authority,
    Category,
    Integrity,
    Kind,
    Lifecycle,
    Medium,
    Purpose,
    Use,
    Verdict,
)
from muniment.policy import (
    RULES,
    Ground,
    Readable,
    Ruling,
    WriteRequest,
    authority_of,
    judge_change,
    judge_claim,
    judge_read,
    judge_use,
)
from muniment.testing import categories, integrities, kinds, purposes, texts

CHAIN = 6


def grounds(
    level: SearchStrategy[Integrity], *, by_person: SearchStrategy[bool]
) -> SearchStrategy[Ground]:
    """Return a strategy for grounds; what is quoted stands no higher than the words of its source."""
    return st.builds(
        Ground,
        integrity=level,
        medium=st.none() | st.sampled_from(Medium),
        quoted=st.none() | level,
        by_person=by_person,
        typed_field=st.booleans(),
        tool_registered=st.booleans(),
    )


def requests(found: SearchStrategy[Ground]) -> SearchStrategy[WriteRequest]:
    """Return a strategy for what may be asked."""
    return st.builds(
        WriteRequest,
        identified=st.booleans(),
        asked=kinds(),
        category=categories(),
        words=texts(),
        grounds=st.lists(found, max_size=3).map(tuple),
        mark=st.sampled_from((Integrity.EXTERNAL, Integrity.AGENT, Integrity.TOOL, Integrity.USER)),
        parents_complete=st.booleans(),
    )


# Outside words: no person of the session wrote them and no registered tool typed them.
outside = st.builds(
    Ground,
    integrity=st.just(Integrity.EXTERNAL),
    medium=st.none() | st.sampled_from(Medium),
    quoted=st.none() | st.just(Integrity.EXTERNAL),
    by_person=st.booleans(),
    typed_field=st.just(False),
    tool_registered=st.booleans(),
)


@given(requests(grounds(integrities(), by_person=st.booleans())))
def test_a_kind_never_stands_higher_than_its_ceiling(request: WriteRequest) -> None:
    ruling = judge_claim(request)
    ceiling = {
        Kind.STATED: Integrity.USER,
        Kind.OBSERVED: Integrity.TOOL,
        Kind.INFERRED: Integrity.AGENT,
        Kind.EXTERNAL: Integrity.EXTERNAL,
    }

    assert ruling.integrity <= ceiling[ruling.kind]
    assert RULES[ruling.decision.rule].verdict is ruling.decision.verdict


@given(requests(grounds(integrities(), by_person=st.booleans())))
def test_what_is_inferred_stands_no_higher_than_anything_it_names(request: WriteRequest) -> None:
    ruling = judge_claim(request)

    if ruling.kind is Kind.INFERRED and not ruling.refused:
        assert ruling.integrity <= min(one.integrity for one in request.grounds)
        assert request.parents_complete or ruling.integrity <= request.mark


@given(requests(grounds(integrities(), by_person=st.just(False))))
def test_nobody_states_but_in_a_part_its_person_wrote(request: WriteRequest) -> None:
    assert judge_claim(request).kind is not Kind.STATED


@given(
    st.lists(
        st.tuples(kinds(), categories(), texts(), integrities(), st.booleans()), max_size=CHAIN
    ),
    outside,
    st.lists(grounds(integrities(), by_person=st.just(False)), max_size=2),
    purposes(),
    categories(),
)
def test_words_from_outside_are_never_more_by_any_chain(
    chain: list[tuple[Kind, Category, str, Integrity, bool]],
    first: Ground,
    beside: list[Ground],
    purpose: Purpose,
    category: Category,
) -> None:
    level = Integrity.EXTERNAL
    for asked, step_category, words, mark, complete in chain:
        carried = first.model_copy(update={"integrity": level, "by_person": False})
        observed = [one.model_copy(update={"typed_field": False}) for one in beside]
        ruling: Ruling = judge_claim(
            WriteRequest(
                identified=True,
                asked=asked,
                category=step_category,
                words=words,
                grounds=(carried, *observed),
                mark=mark,
                parents_complete=complete,
            )
        )
        level = ruling.integrity
        assert level is Integrity.EXTERNAL
        # From here on the claim is what the next one is made from.
        first = Ground(integrity=level)

    assert authority_of(category, level) <= Authority.INFORM
    claim = Readable(lifecycle=Lifecycle.ASSERTED, fresh=True, integrity=level, category=category)
    if purpose in (Purpose.INSTRUCT, Purpose.PERSONALISE):
        assert judge_read(claim, purpose, now=0).verdict is Verdict.REFUSE
    use, _ = judge_use(claim, now=0, present_value=False)
    assert use is Use.BACKGROUND


@given(categories(), integrities())
def test_only_a_person_reaches_beyond_informing(category: Category, level: Integrity) -> None:
    if level < Integrity.USER:
        assert authority_of(category, level) is Authority.INFORM
    assert authority_of(category, level) < Authority.AUTHORIZE


@given(integrities(), integrities(), st.sampled_from(Lifecycle), st.booleans())
def test_nobody_changes_what_stands_higher(
    actor: Integrity, target: Integrity, lifecycle: Lifecycle, replaces: bool
) -> None:
    decision = judge_change(actor=actor, target=target, lifecycle=lifecycle, replaces=replaces)

    if actor < target:
        assert decision.verdict in (Verdict.REFUSE, Verdict.CHALLENGE)
    if decision.verdict is Verdict.CHALLENGE:
        assert replaces


times = st.none() | st.none() | st.integers(-3, 3)
readables = st.builds(
    Readable,
    lifecycle=st.just(Lifecycle.ASSERTED) | st.sampled_from(Lifecycle),
    fresh=st.sampled_from((True, True, True, False)),
    integrity=integrities(),
    category=categories(),
    valid_from=times,
    valid_to=times,
    expires=times,
    recheck=times,
    challenged_by=st.lists(integrities(), max_size=2).map(tuple),
)


@settings(max_examples=2_000)
@given(readables, purposes(), st.integers(-4, 4))
def test_what_does_not_stand_is_evidence_for_nothing(
    claim: Readable, purpose: Purpose, now: int
) -> None:
    allowed = judge_read(claim, purpose, now=now).verdict is not Verdict.REFUSE

    if allowed:
        assert claim.lifecycle is Lifecycle.ASSERTED and claim.fresh
        assert claim.expires is None or now < claim.expires
        assert claim.valid_to is None or now < claim.valid_to
        assert claim.valid_from is None or claim.valid_from <= now
        assert judge_read(claim, Purpose.ANSWER, now=now).verdict is not Verdict.REFUSE
    if allowed and purpose is Purpose.INSTRUCT:
        assert claim.integrity >= Integrity.USER
        assert authority_of(claim.category, claim.integrity) >= Authority.DIRECT


@given(readables, st.integers(-4, 4), st.booleans())
def test_more_trust_never_lowers_what_a_claim_may_be_used_for(
    claim: Readable, now: int, present: bool
) -> None:
    order = (Use.TENTATIVE, Use.BACKGROUND, Use.APPLICABLE, Use.DIRECTIVE)
    higher = claim.model_copy(update={"integrity": min(Integrity.OPERATOR, claim.integrity + 1)})
    before, _ = judge_use(claim, now=now, present_value=present)
    after, _ = judge_use(higher, now=now, present_value=present)

    assert order.index(after) >= order.index(before)
