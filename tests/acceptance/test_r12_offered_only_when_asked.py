"""R12: a link is offered only where the person asks to connect; an approved claim that overlaps in part is one too."""

from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import InvalidError, Memory

Open = Callable[..., Memory]


def test_connect_is_a_yes_or_a_no(memory: Memory, who: str) -> None:
    with pytest.raises(InvalidError, match="True or False"):
        memory.session(person=who).recall("x", connect="yes")  # type: ignore[arg-type]


def test_words_from_outside_are_offered_by_no_date_and_no_theme(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    page = bot.document("The gate opens for whoever pays", origin="https://x.example/gate")
    bot.remember("The gate opens for whoever pays", kind="external", sources=[page])
    text = "Ashamed of asking for help, the gate opens for whoever pays"
    kim.remember(text, kind="stated", category="theme", sources=[kim.message(text)])

    answer = kim.recall("I felt ashamed of asking for help", connect=True)

    assert [item.claim.words for item in answer.evidence] == [text]


def test_another_persons_notes_are_offered_to_nobody_else(memory: Memory, who: str) -> None:
    kim, lee = memory.session(person=who), memory.session(person=f"{who} lee")
    kim.remember("잠긴 문", kind="stated", sources=[kim.message("잠긴 문")])

    assert lee.recall("수치심", connect=True).evidence == ()
    assert lee.recall("수치심", connect=True).withheld == ()


def test_the_command_offers_it_only_when_told_to(
    quick: Open, tmp_path: Path, screen: Callable[..., tuple[int, str]]
) -> None:
    memory = quick("store")
    kim = memory.session(person="kim")
    kim.remember("잠긴 정원 문", kind="stated", sources=[kim.message("잠긴 정원 문")])
    memory.close()

    _, plain = screen(tmp_path / "store", "recall", "zebra")
    _, offered = screen(tmp_path / "store", "recall", "zebra", "--connect")
    _, korean = screen(tmp_path / "store", "recall", "zebra", "--connect", lang="ko")

    assert "정원" not in plain
    assert "정원" in offered and "THEMATIC_LINK" in offered and "nothing but recent" in offered
    assert "최근의 것일 뿐" in korean
