"""L02: evidence is counted on origins, not on mentions."""

from muniment import Claim, Memory, Source

PAGE = "배포는 금요일 오후에 한다. 담당은 이지은이다."


def test_three_summaries_of_one_original_are_one(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    page = kim.document(PAGE, origin="https://wiki.example/deploy")
    summaries = [
        bot.remember(text, sources=[page])
        for text in ("금요일 배포", "배포는 금요일", "담당 이지은")
    ]
    conclusion = bot.remember("금요일마다 배포한다", sources=[summaries[0]])
    for summary in summaries[1:]:
        bot.remember("금요일마다 배포한다", sources=[summary])

    found = kim.evidence_of(conclusion)

    assert (found.mentions, found.origins, found.independent, found.exact) == (3, 1, 1, True)
    assert found.single_points == ("the page https://wiki.example/deploy",)
    assert found.why[0] == "3 mentions, 1 origin: the page https://wiki.example/deploy"


def test_the_same_content_under_two_sources_is_one_origin(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    claim = None
    for origin in ("https://a.example", "https://b.example"):
        page = kim.document(PAGE, origin=origin)
        claim = kim.remember("배포는 금요일 오후에 한다.", kind="external", sources=[page])
    assert claim is not None

    found = kim.evidence_of(claim)

    assert (found.mentions, found.origins, found.independent) == (2, 1, 1)
    assert "says the same as" in found.why[0]


def test_all_messages_of_a_person_are_one_and_two_pages_are_two(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    claim = None
    for text in ("회의는 열 시다", "다시 말하지만 회의는 열 시다"):
        claim = kim.remember("회의는 열 시다", kind="stated", sources=[kim.message(text)])
    assert claim is not None
    assert kim.evidence_of(claim).independent == 1

    bot = memory.session(person=who, agent="bot")
    made = bot.remember("열 시 회의", sources=[claim])
    page = kim.document("공지: 회의는 열 시", origin="https://notice.example")
    bot.remember("열 시 회의", sources=[page], parents_complete=True)
    bot = memory.session(person=who, agent="bot")
    pages = [kim.document(f"{n}번 글: 회의는 열 시", origin=f"https://{n}.example") for n in (1, 2)]
    grounds: list[Source | Claim] = [*pages, claim]
    outside = [bot.remember("열 시에 회의한다", sources=[ground]) for ground in grounds]
    assert kim.evidence_of(made).origins >= 1
    assert kim.evidence_of(outside[0]).independent == 2
    assert kim.evidence_of(outside[0]).single_points == ()


def test_an_agents_own_words_count_for_nothing(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    claim = bot.remember("서버는 셋이다", sources=[bot.message("서버는 셋이다")])

    found = kim.evidence_of(claim)

    assert (found.independent, found.origins) == (0, 0)
    assert "1 mention of unknown origin: no evidence" in found.why[1]
