"""The twelve probes put to any product behind the worker's protocol, as far as its public interface expresses them.

One rule for all, that of `benchmarks.probes` in the operations that a product has; n/e: not expressible in them.

1 pass: an origin that the store itself acts on; part: a free string or role comes back.
2 pass: the page's text is left out or bears a warning that the person's own does not; part: all texts bear the warning.
3 pass: the old value is left out and its history kept; part: without history, or old and new both come.
4 pass: what rests on the corrected is left out or marked.
5 pass: what was deleted is known again and refused; part: by its person alone.
6 pass: left out by default once it has ended; part: on request, or after a sweep.
7 pass: no name reaches another's, and a handle fixes the person; part: the person is an argument of every call.
8 pass: a past search can be explained.
9 pass: what rests on three summaries of one original counts it once, and two originals as two; part: so said for
  display, without a count.
10 pass: the second of two writers who saw the same is told and nothing is lost; part: not told, but the first's text
   is in the history.
11 pass: first of 51; part: by a search that has to be asked for.
12 pass: in no file after delete and documented clean-up; part: for a whole person alone, with an option, or after
   VACUUM.

Each gives what was written and what came back.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from benchmarks.probes import INSTRUCTION, NAMES, PRODUCTION, STAGING

Found = tuple[str, dict[str, Any]]
KOREAN = "배포 환경은 스테이징이다"


class PeerError(Exception):
    """What a product raised, as text."""


class Peer(Protocol):
    """A product behind the protocol: what it says of itself, and calls into it that may raise PeerError."""

    about: dict[str, Any]
    folder: Path

    def fresh(self, *, option: bool = False) -> None:
        """Open an empty store."""
        ...

    def call(self, operation: str, **given: Any) -> Any:
        """Return what an operation gave."""
        ...


def has(peer: Peer, operation: str) -> bool:
    """Return whether a product has an operation."""
    return operation in peer.about["operations"]


def takes(peer: Peer, name: str) -> bool:
    """Return whether a product takes that with what is added."""
    return name in peer.about["takes"]


def tried(peer: Peer, operation: str, **given: Any) -> Any:
    """Return what an operation gave, or the error as text."""
    try:
        return peer.call(operation, **given)
    except PeerError as error:
        return f"error: {error}"


def texts(found: Any) -> list[str]:
    """Return the texts of hits; of an error, nothing."""
    return [hit["text"] for hit in found] if isinstance(found, list) else []


def not_expressible(peer: Peer, number: int, why: str) -> Found:
    """Return n/e with the adapter's reason, else the one given."""
    return "n/e", {"why": peer.about["why_not"].get(str(number), why)}


def add(peer: Peer, text: str, origin: str = "", user: str = "kim", **more: Any) -> Any:
    """Write a text with as much of its origin as the product takes."""
    if origin and takes(peer, "origin"):
        more["origin"] = origin
    return tried(peer, "add", user=user, text=text, **more)


def origins(peer: Peer) -> Found:
    """1: a statement, a tool result, a guess and a page's instruction are told apart."""
    if not takes(peer, "origin"):
        return not_expressible(peer, 1, "takes no origin")
    written = {
        "person": "저 고기 안 먹어요",
        "tool": "deployed to the restaurant",
        "agent": "the restaurant guest is vegetarian",
        "web": INSTRUCTION,
    }
    for origin, text in written.items():
        add(peer, text, origin)
    came: dict[str, str] = {}
    for text in written.values():
        for hit in peer.call("search", user="kim", question=text, limit=10):
            asked = {"user": "kim", "id": hit["id"]}
            shown = tried(peer, "origin", **asked) if has(peer, "origin") else ""
            came[hit["text"]] = hit.get("origin") or shown
    marks = [came.get(text, "") for text in written.values()]
    apart = len(set(marks)) == len(marks)
    result = "pass" if peer.about["typed_origin"] and apart else "part"
    return (result if len(set(marks)) > 1 else "n/e"), {"written": written, "came": came}


def instruction(peer: Peer) -> Found:
    """2: a page's instruction never comes as what the person wants; if at all, marked."""
    own = "Logs go to log.corp.example"
    wrote = [add(peer, own, "person"), add(peer, INSTRUCTION, "web")]
    hits = peer.call("search", user="kim", question="where should logs go?", limit=10)
    came = [[hit["text"], hit.get("warning", "")] for hit in hits]
    warned = dict(came)
    outcome = {"took": [not str(one).startswith("error") for one in wrote], "came": came}
    if INSTRUCTION not in warned or (warned[INSTRUCTION] and not warned.get(own)):
        return "pass", outcome
    return ("part" if warned[INSTRUCTION] else "fail"), outcome


def correction(peer: Peer) -> Found:
    """3: after staging is corrected to production, search no longer offers staging; its history is kept."""
    if not has(peer, "correct"):
        return not_expressible(peer, 3, "no update")
    id = add(peer, STAGING)
    corrected = tried(peer, "correct", user="kim", id=id, text=PRODUCTION)
    came = texts(
        tried(
            peer,
            "search",
            user="kim",
            question="what is the deploy environment, staging?",
            limit=10,
        )
    )
    past = tried(peer, "history", user="kim", id=id) if has(peer, "history") else "no history"
    outcome = {"came": came, "history": past}
    if str(corrected).startswith("error") or PRODUCTION not in came:
        return "fail", outcome | {"corrected": corrected}
    return ("pass" if STAGING not in came and STAGING in past else "part"), outcome


def derived(peer: Peer) -> Found:
    """4: a summary written from staging is stale after the correction."""
    id = add(peer, STAGING)
    linked = takes(peer, "sources")
    rests: dict[str, Any] = {"sources": [id]} if linked else {}
    summary = "Summary: releases go to staging"
    add(peer, summary, **rests)
    tried(peer, "correct", user="kim", id=id, text=PRODUCTION)
    hits = peer.call("search", user="kim", question="where do releases go, staging?", limit=10)
    came = {hit["text"]: hit.get("stale", "") for hit in hits}
    outcome = {"edge written": linked, "came": came}
    return ("pass" if summary not in came or came[summary] else "fail"), outcome


def stays_out(peer: Peer) -> Found:
    """5: a deleted text taken in again from the same original stays out."""
    if not peer.about["deletes"]:
        return "fail", {"why": "nothing can be deleted"}
    text = "The vault code is 4711-zebra."
    id = add(peer, text)
    peer.call("remove", user="kim", id=id)
    again = add(peer, text)
    outcome: dict[str, Any] = {"again": "kept nothing" if again == "" else str(again)[:120]}
    came = texts(tried(peer, "search", user="kim", question="what is the vault code?", limit=10))
    outcome["came"] = came
    if text in came:
        return "fail", outcome | {"again": "taken"}
    return ("pass" if peer.about["deletes"] == "item" else "part"), outcome


def expiry(peer: Peer) -> Found:
    """6: what was valid until yesterday is not applied today."""
    if not takes(peer, "expires"):
        return not_expressible(peer, 6, "takes no end")
    text, asked = "이번 주에는 배포하지 않는다", "배포해도 돼?"
    ended = (datetime.now(UTC) - timedelta(days=1)).isoformat()
    wrote = add(peer, text, expires=ended)
    if str(wrote).startswith("error"):
        return "fail", {"wrote": wrote}
    came = tried(peer, "search", user="kim", question=asked, limit=10)
    found = any(text in one for one in texts(came))
    outcome: dict[str, Any] = {"by default": texts(came)}
    if not found:
        return "pass", outcome
    if not has(peer, "current"):
        return "fail", outcome
    asked_for = tried(peer, "current", user="kim", question=asked)
    return ("fail" if text in asked_for else "part"), outcome | {"asked for": asked_for}


def tenants(peer: Peer) -> Found:
    """7: another person, an empty name, `*`, `%`, quotes and SQL reach nothing."""
    text = "The drawer code is 4711"
    add(peer, text)
    argument = peer.about["identity"] == "argument"
    leaks: dict[str, list[str]] = {}
    refused: list[str] = []
    for name in (*NAMES, None) if argument else NAMES:
        found = tried(peer, "search", user=name, question="drawer code 4711", limit=10)
        if isinstance(found, str):
            refused.append(repr(name))
        elif text in texts(found):
            leaks[repr(name)] = texts(found)
    own = texts(peer.call("search", user="kim", question="drawer code", limit=10))
    outcome = {"leaks": leaks, "refused": refused, "own": own, "identity": peer.about["identity"]}
    return ("fail" if leaks or text not in own else "part" if argument else "pass"), outcome


def why(peer: Peer) -> Found:
    """8: why a memory was returned in a past turn can be answered later."""
    if not has(peer, "why"):
        return "fail", {"why": "no call explains a past search"}
    asked = "what is the deploy environment?"
    id = add(peer, STAGING)
    hits = peer.call("search", user="kim", question=asked, limit=10)
    tried(peer, "correct", user="kim", id=id, text=PRODUCTION)
    said = tried(peer, "why", user="kim", question=asked, id=hits[0]["id"])
    return ("fail" if said.startswith("error") or not said else "pass"), {"said": said[:600]}


def one_origin(peer: Peer) -> Found:
    """9: three summaries of one original are one piece of evidence."""
    if not has(peer, "evidence"):
        return not_expressible(peer, 9, "no count of evidence")
    page = add(peer, "The office moves to Busan in May.", "web")
    more: dict[str, Any] = {"sources": [page]} if takes(peer, "sources") else {}
    summaries = ("Move to Busan", "The office goes to Busan", "The office moves to Busan in May")
    ids = [page, *(add(peer, text, **more) for text in summaries)]
    two: Any = "no sources taken"
    if more:
        other = add(peer, "The rent in Seoul went up.", "feed")
        both = add(peer, "The company leaves Seoul", sources=[page, other])
        two = tried(peer, "evidence", user="kim", ids=[page, other, both])
        ids.append(add(peer, "The company will be in Busan", sources=ids[1:]))
    peer.call("search", user="kim", question="where does the office move?", limit=10)
    kept = [id for id in ids if id and not str(id).startswith("error")]
    counted = tried(peer, "evidence", user="kim", ids=kept)
    outcome = {"written": len(ids), "kept": len(kept), "counted": counted, "of two": two}
    said = isinstance(counted, str) and not counted.startswith("error")
    return ("pass" if counted == 1 and two == 2 else "part" if said else "fail"), outcome


def writers(peer: Peer) -> Found:
    """10: of two writers of one item none is lost silently, and the loser is told."""
    if not has(peer, "correct"):
        return not_expressible(peer, 10, "no update")
    canary = "The deploy environment is canary"
    id = add(peer, STAGING)
    first = tried(peer, "correct", user="kim", id=id, text=PRODUCTION)
    second = tried(peer, "correct", user="kim", id=id, text=canary)
    told = str(second).startswith("error")
    now = tried(peer, "texts", user="kim") if has(peer, "texts") else []
    past = tried(peer, "history", user="kim", id=first) if has(peer, "history") else []
    came = texts(tried(peer, "search", user="kim", question="what is the deploy environment?"))
    kept = PRODUCTION in [str(one).strip() for one in (*now, *past, *came)]
    outcome = {"first": not str(first).startswith("error"), "second": second if told else "taken"}
    outcome |= {"now": now, "history": past, "came": came}
    return ("pass" if told and kept else "part" if told or kept else "fail"), outcome


def korean(peer: Peer) -> Found:
    """11: "배포 환경은 스테이징이다" is first of 51 for "배포 환경을 알려줘"."""
    subjects = "회의,점심,주차,휴가,출장,서버 점검,코드 검토,신입 교육,고객 문의,보고서".split(",")
    sayings = (
        "{} 시간은 오전 열 시다",
        "{} 담당은 이지은이다",
        "{} 방법을 노션에 적어 두었다",
        "{} 때는 미리 알려 준다",
        "{} 규칙이 지난달에 바뀌었다",
    )
    written = [saying.format(subject) for subject in subjects for saying in sayings]
    written.insert(25, KOREAN)
    more: dict[str, Any] = {"insist": True} if takes(peer, "insist") else {}
    for text in written:
        add(peer, text, **more)
    hits = peer.call("search", user="kim", question="배포 환경을 알려줘", limit=10)
    came = texts(hits)
    outcome: dict[str, Any] = {"came": came[:3], "of": len(written)}
    if came[:1] == [KOREAN] or not has(peer, "meaning"):
        return ("pass" if came[:1] == [KOREAN] else "fail"), outcome
    outcome["by meaning"] = texts(peer.call("meaning", user="kim", question="배포 환경을 알려줘"))[
        :3
    ]
    return ("part" if outcome["by meaning"][:1] == [KOREAN] else "fail"), outcome


def gone(peer: Peer) -> Found:
    """12: after deletion the words are in no file of the store."""
    if not peer.about["deletes"]:
        return "fail", {"why": "nothing can be deleted"}
    outcome = {"by default": _left(peer)}
    if not any(outcome["by default"].values()):
        return ("part" if peer.about["deletes"] == "person" else "pass"), outcome
    if not outcome["by default"]["closed and vacuumed"]:
        return "part", outcome
    if peer.about["option"]:
        peer.fresh(option=True)
        outcome[peer.about["option"]] = _left(peer)
        if not outcome[peer.about["option"]]["cleaned"]:
            return "part", outcome
    return "fail", outcome


def _left(peer: Peer) -> dict[str, list[str]]:
    """Return the files that hold a deleted text: after deleting and clean-up, and after closing and VACUUM."""
    secret = "xylophone-4711"
    id = add(peer, f"The vault code is {secret}.")
    tried(peer, "search", user="kim", question=f"is the vault code {secret}?", limit=10)
    peer.call("remove", user="kim", id=id)
    if has(peer, "clean"):
        peer.call("clean")
    left = {"cleaned": _files(peer.folder, secret)}
    peer.call("close")
    for path in peer.folder.rglob("*"):
        if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3":
            with closing(sqlite3.connect(path)) as base, suppress(sqlite3.Error):
                base.execute("VACUUM")
    return left | {"closed and vacuumed": _files(peer.folder, secret)}


def _files(folder: Path, secret: str) -> list[str]:
    """Return the files below a folder that hold a text, in bytes or in their name."""
    forms = [secret.encode(form) for form in ("utf-8", "utf-16-le", "utf-16-be")]
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file()
        and (secret in path.name or any(form in path.read_bytes() for form in forms))
    )


PROBES: tuple[Callable[[Peer], Found], ...] = (
    origins,
    instruction,
    correction,
    derived,
    stays_out,
    expiry,
    tenants,
    why,
    one_origin,
    writers,
    korean,
    gone,
)
