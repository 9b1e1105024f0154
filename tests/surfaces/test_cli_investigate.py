"""An investigation on the command line: one page to read, one bundle to check, nothing that could run or be fetched."""

import importlib.util
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from .conftest import Run

TOOL = Path(__file__).parents[2] / "tools" / "verify_bundle.py"


class Read(HTMLParser):
    """What a page holds: its tags, what it refers to, its marked words, its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.marked: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append(tag)
        self.links += [
            name for name, _ in attrs if name in ("src", "href") or name.startswith("on")
        ]

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.text += data
        if self.tags[-1:] == ["mark"] and self.get_starttag_text() == "<mark>":
            self.marked.append(data)


@pytest.mark.parametrize(
    ("lang", "title"), [("en", "What was not determined"), ("ko", "확인하지 못한 것")]
)
def test_a_page_tells_it_all(kim: Run, tmp_path: Path, lang: str, title: str) -> None:
    claim = next(line for line in kim("claims", "--json").lines if line["category"] == "decision")
    receipt = kim("recall", "배포 환경은?", "--json").json["receipt"]
    for thing in (claim["id"], receipt):
        out = tmp_path / thing
        ran = kim("investigate", thing, "--out", str(out), "--lang", lang)
        assert ran.code == 0, ran
        page = (out / "report.html").read_text("utf-8")
        read = Read(page)

        assert (read.links, {"script", "img", "link", "iframe"} & set(read.tags)) == ([], set())
        assert "://" not in page.replace("https://wiki.example", "")
        assert "배포 환경은 스테이징이다." in read.marked
        for words in ("kim", receipt, "OWN_WORDS", title):
            assert words in read.text, words
        assert read.text.rstrip().rpartition(title)[2].count(".") < 40
    again = kim("investigate", claim["id"], "--out", str(tmp_path / claim["id"]))
    assert again.code == 2


def test_what_was_remembered_is_only_ever_text(kim: Run, tmp_path: Path) -> None:
    words = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    source = kim("message", words, "--json").json["id"]
    claim = kim("remember", words, "--source", source, "--json").json["id"]

    assert kim("investigate", claim, "--out", str(tmp_path / "out")).code == 0
    read = Read((tmp_path / "out" / "report.html").read_text("utf-8"))

    assert words in read.text
    assert "script" not in read.tags and "img" not in read.tags


def test_the_bundle_is_checked_with_the_key_of_the_store(
    kim: Run, run: Run, store: Path, tmp_path: Path
) -> None:
    claim = kim("claims", "--json").lines[0]["id"]
    told = kim("investigate", claim, "--out", str(tmp_path / "out"), "--json").json
    key = run("checkpoint", "--key", "--store", str(store)).out.strip()
    assert key == told["key"]
    spec = importlib.util.spec_from_file_location("verify_bundle", TOOL)
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)

    assert tool.main([told["bundle"], "--key", key]) == 0


def test_verify_has_a_code_for_each_way_a_store_may_stand(
    kim: Run, run: Run, store: Path, tmp_path: Path
) -> None:
    at, anchor = ("--store", str(store)), tmp_path / "anchor"
    kim("message", "one more")
    assert run("checkpoint", "--anchor", str(anchor), *at).code == 0
    assert run("verify", "fast", "--anchor", str(anchor), *at).code == 0
    assert "not determined" in run("verify", "fast", *at).out
    told = run("verify", "full", "--anchor", str(anchor), *at, "--json").json
    assert (told["soundness"], told["findings"], told["mode"]) == ("OK", [], "full")

    (store / "default" / "lineage.duckdb").rename(tmp_path / "graph")
    assert run("verify", *at).code == 14
    (segment,) = (store / "default" / "journal").iterdir()
    raw = segment.read_bytes()
    segment.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    ran = run("verify", *at, "--json")
    assert (ran.code, ran.json["soundness"]) == (11, "INVALID")
    assert ran.json["findings"][-1]["first"] > 0
    segment.write_bytes(raw[:-9])
    assert run("verify", *at).code == 12


def test_export_as_prov_is_one_document(kim: Run) -> None:
    assert set(json.loads(kim("export", "--prov").out)) >= {"prefix", "entity", "activity", "agent"}
