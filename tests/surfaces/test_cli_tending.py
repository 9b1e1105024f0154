"""On the command line: tasks, procedures, reasons, failures and what hygiene says of them."""

from pathlib import Path

import pytest

from .conftest import Run


def said(kim: Run, text: str) -> str:
    """Return the identifier of a message of kim's."""
    return str(kim("message", text, "--json").json["id"])


def test_the_task_ledger(kim: Run) -> None:
    added = kim("task", "add", "계약서 검토", "--json").json
    assert added["category"] == "task"
    listed = kim("task", "list")
    assert listed.code == 0 and "계약서 검토" in listed.out and added["id"] in listed.out
    assert added["id"] not in kim("claims").out and "계약서" not in kim("recall", "계약서 검토").out

    assert kim("task", "done", f"{added['id']}@1", "--reason", "끝").code == 0
    assert kim("task", "list").out.strip() == "No task is open."
    assert "withdrawn" in kim("task", "list", "--everything").out
    assert kim("task", "drop", said(kim, "x")).code != 0


def test_an_agents_work_in_progress_says_where_it_went(kim: Run) -> None:
    source = said(kim, "어때?")

    shown = kim("remember", "로그인 테스트 작업 중", "--source", source, "--agent", "bot")

    assert shown.code == 0 and "task ledger" in shown.out and "WORK_IN_PROGRESS" in shown.out
    assert "작업 중" in kim("task", "list").out


def test_procedures_are_kept_patched_and_written_out(kim: Run, tmp_path: Path) -> None:
    keep = ("procedure", "keep", "deploy-a-service")
    assert kim(*keep, "1. build", "--description", "배포할 때").code == 0
    again = kim(*keep, "2. push")
    assert again.code != 0 and "with --version" in again.err + again.out
    assert kim(*keep, "1. build 2. push", "--version", "1").code == 0
    assert "배포할 때" in kim("procedure", "list").out
    assert "2. push" in kim("procedure", "show", "deploy-a-service").out

    written = kim("procedure", "export", "--out", str(tmp_path / "skills"))

    assert written.code == 0
    text = (tmp_path / "skills" / "deploy-a-service" / "SKILL.md").read_text("utf-8")
    assert text.startswith('---\nname: deploy-a-service\ndescription: "배포할 때"\n')
    assert text.endswith("1. build 2. push\n")
    assert kim("procedure", "show", "nothing").code != 0


def test_reasons_and_failures_are_said_and_shown(kim: Run) -> None:
    source = said(kim, "DuckDB로 간다.")
    chosen = ("--category", "decision", "--because", "한 대", "--rejected", "A안=서버가 필요하다")
    made = kim("remember", "DuckDB로 간다.", "--source", source, "--kind", "stated", *chosen)
    assert (
        made.code == 0
        and "rejected: A안: 서버가 필요하다" in made.out
        and "because: 한 대" in made.out
    )
    found = kim("recall", "왜 A안을 버렸지?", "--json").json["evidence"][0]["claim"]
    assert found["reasoning"]["rejected"] == [{"plan": "A안", "why": "서버가 필요하다"}]

    failed = (
        "--category",
        "failure",
        "--cause",
        "OOM",
        "--did-not-work",
        "restart",
        "--fixed-by",
        "fewer jobs",
    )
    claim = ("remember", "빌드가 멈춘다", "--source", source, "--agent", "bot", *failed)
    assert "missing: the environment" in kim(*claim).err
    assert "did not work: restart" in kim(*claim, "--environment", "docker").out


def test_what_a_model_is_declined_names_the_text_in_either_language(
    kim: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = said(kim, "이번 주만 짧게")
    claim = (
        "remember",
        "이번 주만 짧게",
        "--source",
        source,
        "--category",
        "preference",
        "--agent",
        "bot",
    )

    assert "--expires-at (“이번 주”)" in kim(*claim).err
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    assert "“이번 주”" in kim(*claim).err
