"""Turns are found with the turns around them; threads by all that was said in them."""

from collections.abc import Callable

from muniment.retrieval import Entry, Found, Index

Open = Callable[..., Index]
ONE = frozenset({1})
KIM, LEE = 1, 2


def spoken(*lines: tuple[int, int, str], first: int = 1) -> list[Entry]:
    """Return turns from (thread, speaker, text)."""
    return [
        Entry(node, 0, "turn", 1, text, thread, speaker)
        for node, (thread, speaker, text) in enumerate(lines, first)
    ]


def nodes(found: Found) -> list[int]:
    return [one.node for one in found.candidates]


TALK = spoken(
    (1, KIM, "Where do we put the telescope this summer?"),
    (1, LEE, "On the roof, as always."),
    (1, KIM, "Fine, I bring the ladder."),
    (2, LEE, "The bakery closes at six."),
    (2, KIM, "Then I go at five."),
    (3, LEE, "My train leaves early tomorrow."),
    (3, KIM, "Take the bus."),
)


def test_an_answer_is_found_by_the_words_of_the_question_before_it(opened: Open) -> None:
    index = opened(bare=True)
    index.add(TALK, applied=1)

    assert nodes(index.turns("telescope summer", scopes=ONE, limit=9)) == [1, 2]


def test_context_does_not_cross_threads(opened: Open) -> None:
    index = opened(bare=True)
    index.add(TALK, applied=1)

    assert 4 not in nodes(index.turns("bring the ladder", scopes=ONE, limit=9))
    assert nodes(index.turns("bakery", scopes=ONE, limit=9)) == [4, 5]


def test_a_turn_without_a_thread_stands_alone(opened: Open) -> None:
    index = opened(bare=True)
    index.add(spoken((0, KIM, "telescope"), (0, LEE, "ladder"), (0, KIM, "roof")), applied=1)

    assert nodes(index.turns("telescope", scopes=ONE, limit=9)) == [1]
    assert index.threads("telescope", scopes=ONE, limit=9).candidates == ()


def test_a_turn_said_after_loading_has_the_context_of_the_loaded_one(opened: Open) -> None:
    opened(bare=True).add(TALK[:1], applied=1)
    index = opened(bare=True)
    assert nodes(index.turns("telescope", scopes=ONE, limit=9)) == [1]

    index.add(TALK[1:], applied=2)

    assert nodes(index.turns("telescope summer", scopes=ONE, limit=9)) == [1, 2]


def test_a_long_neighbour_does_not_drown_a_short_turn(opened: Open) -> None:
    long = " ".join(f"filler{at}" for at in range(800)) + " telescope"
    index = opened(bare=True)
    index.add(
        spoken((1, LEE, long), (1, KIM, "yes"), (2, KIM, "the telescope is mine"), (2, LEE, "ok")),
        applied=1,
    )

    assert nodes(index.turns("telescope", scopes=ONE, limit=1)) == [3]


def test_the_asked_speaker_comes_first(opened: Open) -> None:
    index = opened(bare=True)
    index.add(
        spoken((1, KIM, "I like green tea"), (2, LEE, "I like green tea"), (3, KIM, "nothing")),
        applied=1,
    )
    speakers = {"Kim": KIM, "Lee": LEE, "이": LEE}

    def first(query: str) -> int:
        return nodes(index.turns(query, scopes=ONE, limit=1, speakers=speakers))[0]

    assert first("Which green tea does Kim like?") == 1
    assert first("Which green tea does Lee like?") == 2
    assert first("which green tea is lee's?") == 2
    assert first("이가 좋아하는 green tea는?") == 2
    assert first("Which green tea do Kim and Lee like?") == 1


def test_a_question_that_is_only_a_name_is_still_asked(opened: Open) -> None:
    index = opened()
    index.add(spoken((1, KIM, "Lee called"), (2, LEE, "something else")), applied=1)

    assert nodes(index.turns("Lee", scopes=ONE, limit=5, speakers={"Lee": LEE}))[0] == 1


def test_the_asked_speaker_comes_before_one_who_says_it_more_often(opened: Open) -> None:
    index = opened(bare=True)
    talk = [(at, KIM, f"nothing of note {at}") for at in range(3, 20)]
    index.add(
        spoken((1, LEE, "green tea, green tea always"), (2, KIM, "I like green tea"), *talk),
        applied=1,
    )

    def first(query: str) -> int:
        return nodes(index.turns(query, scopes=ONE, limit=1, speakers={"Kim": KIM}))[0]

    assert (first("green tea"), first("Kim: green tea")) == (1, 2)


def test_a_full_statement_comes_before_a_bare_word_and_before_a_page(opened: Open) -> None:
    statement = "We carried the telescope onto the roof and looked at the rings of Saturn all night"
    page = " ".join(f"advice{at} telescope" for at in range(60))
    index = opened(bare=True)
    index.add(
        spoken((1, LEE, "Telescope!"), (2, LEE, page), (3, LEE, statement), (4, LEE, "a boat")),
        applied=1,
    )

    found = index.turns("telescope", scopes=ONE, limit=3).candidates

    length = {one.node: one.parts["length"] for one in found}
    assert length[3] > max(length[1], length[2]) and max(length.values()) <= 0.0


def test_a_claim_that_holds_each_word_once_comes_before_one_that_repeats_some(opened: Open) -> None:
    index = opened(bare=True)
    filler = [f"unrelated claim number{at} about trains" for at in range(10)]
    texts = ["boat boat boat roof roof", "a boat on the roof in summer", *filler]
    index.add([Entry(at, 0, "claim", 1, text) for at, text in enumerate(texts, 1)], applied=1)

    found = index.claims("boat roof summer", scopes=ONE, limit=2).candidates

    assert [one.node for one in found] == [2, 1]
    assert found[0].parts["coverage"] > found[1].parts["coverage"]


def test_one_best_chunk_of_a_turn_comes_back(opened: Open) -> None:
    index = opened(bare=True)
    index.add(
        [
            Entry(1, 0, "turn", 1, "the telescope is on the roof", 1, KIM),
            Entry(1, 1, "turn", 1, "the telescope lens: telescope lens cap", 1, KIM),
            Entry(2, 0, "turn", 1, "bakery", 2, LEE),
        ],
        applied=1,
    )

    (found,) = index.turns("telescope lens", scopes=ONE, limit=5).candidates

    assert (found.node, found.chunk) == (1, 1)


def test_threads_are_found_by_words_scattered_over_them(opened: Open) -> None:
    index = opened(bare=True)
    index.add(TALK, applied=1)

    found = index.threads("telescope on the roof with a ladder", scopes=ONE, limit=3)

    assert found.candidates[0].node == 1
    assert set(found.candidates[0].parts) == {"session", "turn"}
