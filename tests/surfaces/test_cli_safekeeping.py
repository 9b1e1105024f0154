"""Backing up, mirroring, restoring and ending a tenant from the command line; a mistyped tenant makes nothing."""

import json
import shutil
from pathlib import Path

import pytest

from .conftest import Run

SECRET = "correct horse battery"


@pytest.fixture(autouse=True)
def passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the passphrase by the environment."""
    monkeypatch.setenv("MUNIMENT_PASSPHRASE", SECRET)


def test_a_lost_store_comes_back_without_what_was_erased(
    kim: Run, run: Run, store: Path, tmp_path: Path
) -> None:
    at, usb, backup = ("--store", str(store)), tmp_path / "usb", tmp_path / "b" / "monday"
    warned = run("backup", str(backup), *at, "--keep-days", "30")
    assert (warned.code, "losing this disk loses the words" in warned.out.replace("\n  ", " ")) == (
        0,
        True,
    )
    mirrored = run("keys", "mirror", str(usb), *at)
    assert (mirrored.code, mirrored.err) == (0, "")
    claim, *_ = kim("claims", "--json").lines
    erased = kim("erase", claim["citations"][0]["id"], "--yes")
    told = erased.out.replace("\n  ", " ")
    assert f"the backup at {backup} holds the sealed bytes until" in told
    assert "nothing in it opens them" in told
    usb.rename(tmp_path / "away")
    other = kim("claims", "--json").lines[0]["citations"][0]["id"]
    assert "muniment keys mirror" in kim("erase", other, "--yes").out
    (tmp_path / "away").rename(usb)
    assert run("keys", "mirror", str(usb), *at).code == 0
    shutil.rmtree(store)

    refused = run("restore", str(backup), str(store))
    assert (refused.code, "ROLLBACK" in refused.err) == (4, True)
    done = run("restore", str(backup), str(store), "--keys", str(usb))

    assert (done.code, "RESTORED" in done.out, "done again: 2 erasures" in done.out) == (
        0,
        True,
        True,
    )
    assert len(kim("claims", "--json").lines) == 1
    assert run("verify", *at).code == 0


def test_a_store_without_keys_says_so_on_every_command(
    kim: Run, run: Run, store: Path, tmp_path: Path
) -> None:
    backup, new = str(tmp_path / "backup"), str(tmp_path / "new")
    run("backup", backup, "--store", str(store))
    done = run("restore", backup, new, "--newest", str(store))
    assert (done.code, "INCOMPLETE" in done.out) == (1, True)

    for words in (["recall", "deploy"], ["claims"], ["export"], ["message", "hello"]):
        ran = run(*words, "--store", new, "--person", "kim", "--project", "apollo")
        assert (ran.code, ran.out, "INCOMPLETE" in ran.err) == (14, "", True), words
    statuses = run("statuses", "--store", new)
    assert (statuses.code, "INCOMPLETE" in statuses.err) == (0, True)
    assert len(run("statuses", "--store", new, "--json").lines) == 3
    assert run("verify", "--store", new).code == 14


def test_backups_past_their_time_are_named(run: Run, store: Path, tmp_path: Path) -> None:
    run("backup", str(tmp_path / "b" / "one"), "--store", str(store))
    assert run("backup", "list", str(tmp_path / "b")).code == 0
    manifest = tmp_path / "b" / "one" / "manifest.json"
    kept = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(
        json.dumps({**kept, "keep_until": "2020-01-01T00:00:00Z"}), encoding="utf-8"
    )

    listed = run("backup", "list", str(tmp_path / "b"))

    assert (listed.code, "past, delete it" in listed.out) == (1, True)
    assert run("backup", "list", str(tmp_path / "b"), "--json").lines[0]["past"] is True
    assert run("backup", "list").code == run("backup", "list", str(tmp_path / "none")).code == 2


def test_a_tenant_ends_only_after_a_yes(run: Run, store: Path) -> None:
    at = ("--store", str(store))
    asked = run("erase-tenant", "default", *at)
    assert (asked.code, "--yes" in asked.err) == (2, True)
    counted = run("erase-tenant", "default", *at, "--dry-run")
    assert (counted.code, "would go: tenant default" in counted.out) == (0, True)
    assert (store / "default").is_dir()
    assert run("erase-tenant", "typo", *at, "--yes").code == 3

    done = run("erase-tenant", "default", *at, "--yes", "--json")

    assert (done.code, done.json["claims"], Path(done.json["statement"]).is_file()) == (0, 3, True)
    assert not (store / "default").exists()
    assert "none yet" in run("claims", *at).err


@pytest.mark.parametrize(
    "words",
    [
        ["claims"],
        ["recall", "deploy?"],
        ["message", "hello"],
        ["export"],
        ["rebuild"],
        ["checkpoint"],
        ["statuses"],
        ["backup", "somewhere"],
    ],
)
def test_a_mistyped_tenant_makes_nothing(words: list[str], run: Run, store: Path) -> None:
    ran = run(*words, "--store", str(store), "--tenant", "defualt")

    assert (ran.code, ran.out) == (3, "")
    assert "there is no tenant 'defualt'" in ran.err and "there are: default" in ran.err
    assert not (store / "defualt").exists()
    assert run("init", "--store", str(store), "--tenant", "defualt").code == 0
    assert run("claims", "--store", str(store), "--tenant", "defualt").code == 0


def test_the_passphrase_comes_from_a_file_or_is_asked_for(
    run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, at = tmp_path / "secret", ("--store", str(store))
    file.write_text("another passphrase\nand a second line\n", encoding="utf-8")
    backup, given = str(tmp_path / "backup"), ("--passphrase-file", str(file))
    assert run("backup", backup, *at, *given).code == 0
    wrong = run("restore", backup, str(tmp_path / "new"), "--newest", str(store))
    assert (wrong.code, "passphrase" in wrong.err) == (2, True)
    right = run("restore", backup, str(tmp_path / "new"), "--keys", str(store), *given)
    assert right.code == 0, right
    monkeypatch.delenv("MUNIMENT_PASSPHRASE")
    nobody = run("backup", str(tmp_path / "second"), *at)
    assert (nobody.code, "--passphrase-file" in nobody.err) == (2, True)
    assert not (tmp_path / "second").exists()
