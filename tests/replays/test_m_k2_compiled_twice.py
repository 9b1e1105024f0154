"""Replay M-K2: what every prompt carries is the same bytes while nothing changed, and nothing before it moves."""

from pathlib import Path

from muniment import Memory, Session

from .conftest import Elsewhere, stated

HOST = "You are a careful assistant. 늘 존댓말을 쓴다.\n"


def compiled(session: Session) -> bytes:
    """Return the part of a prompt that comes whatever is asked: the host's own, then the person's block."""
    return f"{HOST}{session.block().prompt}".encode()


def test_m_k2_compiled_twice_it_is_byte_equal_and_a_new_claim_moves_nothing(
    kim: Session, bot: Session, memory: Memory, tmp_path: Path, elsewhere: Elsewhere
) -> None:
    kim.rewrite_block("Always answer in Korean.\n보고서는 짧게")
    first = compiled(bot)
    assert compiled(bot) == first == compiled(kim)

    stated(kim, "We deploy on Fridays.")
    kim.recall("deploy")
    assert compiled(bot) == first

    bot.rewrite_block("Always answer in Korean.\n보고서는 짧게\nWorks on apollo")
    after = compiled(bot)
    assert after != first and after.startswith(HOST.encode())
    text = kim.block().text.encode()
    assert text.startswith(first.split(b"~~~")[1].strip(b"\n")) and text in after
    memory.close()
    _, (told,) = elsewhere("block", "--person", "kim")
    assert f"{HOST}{told['prompt']}".encode() == after
    with Memory.open(tmp_path / "store") as again:
        assert compiled(again.session(person="kim", agent="bot")) == after
