#!/usr/bin/env python3
"""Check a bundle or a certificate of Muniment without Muniment: Python's standard library and `cryptography` only.

    python verify_bundle.py FILE --key KEY [--anchor FILE]

KEY is the journal's public key as `muniment checkpoint --key` shows it, got from elsewhere than the file.
Exit codes: 0 OK, 11 INVALID, 12 TRUNCATED, 13 DIVERGED, 14 INCOMPLETE; 2 when the command line is wrong.
"""

import argparse
import base64
import binascii
import hashlib
import hmac
import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FORMAT = "muniment-bundle/1"
CERTIFICATE = "muniment-certificate/1"
CODES = {"DIVERGED": 13, "TRUNCATED": 12, "INVALID": 11, "INCOMPLETE": 14, "OK": 0}
OPS = frozenset(
    "entity scope policy source claim assert change access erase receipt refusal block secret hold restore "
    "same_origin disclose pause mute forget account sensitive retention corpus attach".split()
)
STANDING = frozenset(("lifecycle", "version", "replaced_by", "supported", "fresh"))
Finding = tuple[str, str]
_MISSHAPEN = (
    AttributeError, IndexError, KeyError, OverflowError, RecursionError, TypeError, ValueError,
)  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Check one file, print what was found and return the exit code."""
    parser = argparse.ArgumentParser(description="Check a bundle or a certificate of Muniment.")
    parser.add_argument(
        "file", help="a bundle, such as bundle.json, or a certificate of an erasure"
    )
    parser.add_argument("--key", default="", help="the journal's public key, got from elsewhere")
    parser.add_argument("--anchor", default="", help="a file of checkpoints kept elsewhere")
    given = parser.parse_args(arguments)
    with open(given.file, "rb") as file:
        raw = file.read()
    anchor = ""
    if given.anchor:
        with open(given.anchor, encoding="utf-8") as file:
            anchor = file.read()
    found = verify_raw(raw, given.key, anchor)
    word = next((word for word in CODES if any(sort == word for sort, _ in found)), "OK")
    print(word)
    for sort, message in found:
        print(f"  {sort}: {message}")
    return CODES[word]


def verify_raw(raw: bytes, key: str, anchor: str = "") -> list[Finding]:
    """Return everything that is wrong with the bytes of a bundle or a certificate."""
    try:
        return verify(raw.decode("utf-8"), key, anchor)
    except UnicodeDecodeError:
        return [("INVALID", "the file is no text in UTF-8")]


def verify(text: str, key: str, anchor: str = "") -> list[Finding]:
    """Return everything that is wrong with the text of a bundle or a certificate; nothing when it is sound."""
    try:
        bundle = json.loads(text)
        if bundle.get("type") == CERTIFICATE:
            return _certificate(text, bundle, key, anchor)
        if bundle["format"] != FORMAT:
            return [("INVALID", f"this is no bundle of the format {FORMAT}")]
        raw = [header.encode("utf-8") for header in bundle["headers"]]
        used = key or bundle["key"]
        checkpoint = bundle["checkpoint"]
    except _MISSHAPEN as error:
        return [("INVALID", f"the bundle is not built as one: {type(error).__name__}: {error}")]
    found: list[Finding] = []
    if not key:
        found.append(("INCOMPLETE", "no public key was given, so that of the bundle was used"))
    checks: tuple[Callable[[], list[Finding]], ...] = (
        lambda: _same_key(bundle["key"], used),
        lambda: _checkpoint(checkpoint, used, raw),
        lambda: _seal(bundle, used),
        lambda: _anchored(anchor, used, raw),
        lambda: _proofs(bundle["records"], raw),
        lambda: _words(bundle, _parsed(raw)),
        lambda: _status(bundle, _parsed(raw)),
        lambda: _holds(_parsed(raw)),
        lambda: _origins(bundle, _parsed(raw)),
    )
    for check in checks:
        try:
            found += check()
        except _MISSHAPEN as error:
            message = f"the bundle is not built as one: {type(error).__name__}: {error}"
            found.append(("INVALID", message))
    return list(dict.fromkeys(found))


def _same_key(own: str, used: str) -> list[Finding]:
    """Return a finding where a bundle names another key than the one it is checked with."""
    return [] if own == used else [("INVALID", "the bundle names another key than the one given")]


def _parsed(raw: list[bytes]) -> list[dict[str, Any]]:
    """Return the headers; ValueError where one does not stand in its place."""
    headers: list[dict[str, Any]] = [json.loads(header) for header in raw]
    for place, header in enumerate(headers, 1):
        if header["seq"] != place:
            raise ValueError(f"record {place} calls itself {header['seq']}")
    return headers


def _proofs(records: list[dict[str, Any]], raw: list[bytes]) -> list[Finding]:
    """Return the records whose proof does not lead to the root over all headers."""
    found: list[Finding] = []
    root = _root(raw)
    for record in records:
        path = [base64.b64decode(step, validate=True) for step in record["proof"]]
        seq: int = record["seq"]
        leaf: bytes = raw[seq - 1] if 0 < seq <= len(raw) else b""
        if not _included(leaf, seq - 1, len(raw), path, root):
            found.append(
                ("INVALID", f"record {record['seq']}: its proof does not lead to the root")
            )
    return found


# --- signatures -----------------------------------------------------------------------------------------------


def _signed(note: str, key: str) -> bool:
    """Return whether a C2SP signed note bears a signature by the key."""
    body, _, signatures = note.rpartition("\n\n")
    try:
        name, hashed, public = key.split("+", 2)
        raw = base64.b64decode(public, validate=True)
        wanted = hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4]
        for line in signatures.splitlines():
            dash, whose, signature = line.split(" ")
            given = base64.b64decode(signature, validate=True)
            if (dash, whose, given[:4]) == ("—", name, wanted) and raw[:1] == b"\x01":
                Ed25519PublicKey.from_public_bytes(raw[1:]).verify(given[4:], f"{body}\n".encode())
                return wanted.hex() == hashed
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return False


def _checkpoint(note: str, key: str, raw: list[bytes]) -> list[Finding]:
    """Return what is wrong between a checkpoint and the headers."""
    if not _signed(note, key):
        return [("INVALID", "the checkpoint does not bear the key's signature")]
    origin, size, root = note.split("\n")[:3]
    if origin != key.split("+")[0]:
        return [("INVALID", "the checkpoint is of another journal than the key")]
    if int(size) > len(raw):
        return [("TRUNCATED", f"the checkpoint covers {size} records, the bundle has {len(raw)}")]
    if int(size) < len(raw):
        return [("INVALID", f"the bundle has {len(raw)} records, the checkpoint covers {size}")]
    if base64.b64decode(root, validate=True) != _root(raw):
        return [("DIVERGED", f"the tree over {size} records has another root than the checkpoint")]
    return []


def _seal(bundle: dict[str, Any], key: str) -> list[Finding]:
    """Return what is wrong with the signature over the whole bundle."""
    body = {name: value for name, value in bundle.items() if name != "seal"}
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    wanted = f"{FORMAT}\n{hashlib.sha256(text.encode('utf-8')).hexdigest()}\n"
    if not _signed(bundle["seal"], key):
        return [("INVALID", "the seal does not bear the key's signature")]
    if bundle["seal"].rpartition("\n\n")[0] + "\n" != wanted:
        return [("INVALID", "the bundle was changed after it was sealed")]
    return []


def _anchored(anchor: str, key: str, raw: list[bytes]) -> list[Finding]:
    """Return where the headers are not what an anchor's checkpoints of this journal say."""
    found: list[Finding] = []
    name, met = key.split("+")[0], False
    lines = anchor.split("\n")
    for place, line in enumerate(lines):
        if line != name or not lines[place + 1].isdecimal():
            continue
        met = True
        note = "".join(f"{item}\n" for item in lines[place : place + 5])
        size = int(lines[place + 1])
        if not _signed(note, key):
            found.append(
                ("INVALID", f"the anchor's checkpoint over {size} records is not signed by the key")
            )
        elif size > len(raw):
            found.append(
                ("TRUNCATED", f"the anchor knows {size} records, the bundle has {len(raw)}")
            )
        elif base64.b64decode(lines[place + 2], validate=True) != _root(raw[:size]):
            found.append(("DIVERGED", f"the anchor has another root over {size} records"))
    if anchor and not met:
        found.append(("INCOMPLETE", "the anchor holds no checkpoint of this journal"))
    return found


# --- the tree of RFC 9162 -------------------------------------------------------------------------------------


def _root(leaves: list[bytes]) -> bytes:
    """Return the root over the leaves."""
    peaks: list[tuple[int, bytes]] = []
    for leaf in leaves:
        count, node = 1, hashlib.sha256(b"\x00" + leaf).digest()
        while peaks and peaks[-1][0] == count:
            node = hashlib.sha256(b"\x01" + peaks.pop()[1] + node).digest()
            count *= 2
        peaks.append((count, node))
    if not peaks:
        return hashlib.sha256().digest()
    _, root = peaks.pop()
    while peaks:
        root = hashlib.sha256(b"\x01" + peaks.pop()[1] + root).digest()
    return root


def _included(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> bool:
    """Return whether a proof leads from a leaf to the root: section 2.1.3.2."""
    if not 0 <= index < size:
        return False
    place, last, node = index, size - 1, hashlib.sha256(b"\x00" + leaf).digest()
    for step in path:
        if last == 0:
            return False
        if place & 1 or place == last:
            node = hashlib.sha256(b"\x01" + step + node).digest()
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            node = hashlib.sha256(b"\x01" + node + step).digest()
        place, last = place >> 1, last >> 1
    return last == 0 and node == root


# --- words and status -----------------------------------------------------------------------------------------


def _words(bundle: dict[str, Any], headers: list[dict[str, Any]]) -> list[Finding]:
    """Return the disclosed words that are not what their record commits to, and those that are not there."""
    found: list[Finding] = []
    told = {(item["seq"], item["place"]) for item in bundle["withheld"]}
    for item in bundle["words"]:
        seals = _seals(headers, item["seq"])
        salt = base64.b64decode(item["salt"], validate=True)
        made = hmac.digest(salt, item["body"].encode("utf-8"), hashlib.sha256)
        shown = base64.urlsafe_b64encode(made).rstrip(b"=").decode()
        if not 0 <= item["place"] < len(seals) or seals[item["place"]]["commitment"] != shown:
            found.append(
                ("INVALID", f"record {item['seq']}: its words are not those it commits to")
            )
        told.add((item["seq"], item["place"]))
    for record in bundle["records"]:
        for place in range(len(_seals(headers, record["seq"]))):
            if (record["seq"], place) not in told:
                found.append(("INCOMPLETE", f"record {record['seq']}: payload {place} is missing"))
    return found


def _seals(headers: list[dict[str, Any]], seq: int) -> list[dict[str, Any]]:
    """Return the commitments of a record, counted from 1."""
    if seq < 1:
        raise IndexError(f"there is no record {seq}")
    seals: list[dict[str, Any]] = headers[seq - 1].get("seals", [])
    return seals


def _status(bundle: dict[str, Any], headers: list[dict[str, Any]]) -> list[Finding]:
    """Return the claims whose status, replayed from the headers, is another than the bundle says."""
    unknown = {header["op"] for header in headers} - OPS
    if unknown:
        return [
            ("INCOMPLETE", f"no status was replayed: this verifier does not know {sorted(unknown)}")
        ]
    ids = {header["id"] for header in headers}
    claims = _replayed(headers)
    found: list[Finding] = []
    if bundle["subject"] not in ids:
        found.append(("INVALID", f"{bundle['subject']} is not in the journal"))
    wanted: set[str] = {bundle["subject"]}
    for header in headers:
        if header["id"] == bundle["subject"]:
            wanted.update(header.get("claims", []))
    withheld: list[dict[str, Any]] = bundle["withheld"]
    hidden: set[str] = {
        headers[item["seq"] - 1]["id"] for item in withheld if item["why"] == "scope"
    }
    for claim in sorted((wanted & claims.keys()) - bundle["status"].keys() - hidden):
        found.append(("INCOMPLETE", f"claim {claim}: the bundle does not say how it stands"))
    for claim, said in bundle["status"].items():
        known = claims.get(claim, {})
        # Bundles made before claims could be muted do not say whether they are.
        if said != {name: known.get(name) for name in said} or STANDING - said.keys():
            found.append(
                ("INVALID", f"claim {claim}: replayed from the headers it stands otherwise")
            )
    return found


def _holds(headers: list[dict[str, Any]]) -> list[Finding]:
    """Return the erasures that destroyed something while it was on legal hold."""
    holds: dict[str, str] = {}
    found: list[Finding] = []
    for header in headers:
        if header["op"] == "hold" and header.get("releases"):
            holds.pop(header["releases"], None)
        elif header["op"] == "hold":
            holds[header["id"]] = header["target"]
        elif header["op"] == "erase" and holds:
            gone = {*header.get("sources", []), *header.get("claims", [])}
            gone |= {one["claim"] for one in header.get("renderings", [])}
            found += [
                ("INVALID", f"record {header['seq']} destroyed {one}, which was on legal hold")
                for one in sorted(gone & set(holds.values()))
            ]
    return found


def _origins(bundle: dict[str, Any], headers: list[dict[str, Any]]) -> list[Finding]:
    """Return a finding where the origins that count as one, replayed from the headers, are others than the bundle says.

    A bundle of before there were such declarations says nothing of it, and nothing is declared in its headers.
    """
    standing: dict[tuple[str, ...], None] = {}
    for header in headers:
        if header["op"] == "same_origin":
            pair = tuple(sorted(header["origins"]))
            if header["kinship"] == "same":
                standing[pair] = None
            else:
                standing.pop(pair, None)
    classes: list[set[str]] = []
    for pair in standing:
        met = [one for one in classes if one.intersection(pair)]
        classes = [one for one in classes if not one.intersection(pair)]
        classes.append(set(pair).union(*met))
    shown: set[str] = {headers[record["seq"] - 1]["id"] for record in bundle["records"]}
    wanted = sorted(sorted(one & shown) for one in classes if len(one & shown) > 1)
    if sorted(map(sorted, bundle.get("origins", []))) != wanted:
        return [("INVALID", "replayed from the headers, other origins count as one")]
    return []


def _replayed(headers: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return how every claim stands: its lifecycle folded, its support and freshness as least fixpoints."""
    claims: dict[str, dict[str, Any]] = {}
    grounds: dict[str, dict[str, list[str]]] = {}
    sources: set[str] = set()
    replaced: set[str] = set()
    for header in headers:
        match header["op"]:
            case "source":
                sources.add(header["id"])
                replaced.add(header.get("replaces", ""))
            case "claim":
                claims[header["id"]] = {
                    "lifecycle": header.get("lifecycle", "asserted"), "version": 1, "replaced_by": "",
                    "muted": [],
                }  # fmt: skip
                grounds[header["id"]] = {header["id"]: header["antecedents"]}
            case "assert":
                claims[header["claim"]]["version"] += 1
                grounds[header["claim"]][header["id"]] = header["antecedents"]
            case "change":
                claim = claims[header["claim"]]
                claim["version"] += 1
                claim["lifecycle"] = header["lifecycle"]
                claim["replaced_by"] = header.get("other", "") or claim["replaced_by"]
            case "access":
                (sources.discard if header["access"] == "revoked" else sources.add)(
                    header["source"]
                )
            case "erase":
                _erased(header, claims, grounds, sources)
            case "mute" | "forget":
                _muted(header, claims)
            case _:
                pass
    for label, carrying in (("supported", ("asserted", "superseded")), ("fresh", ("asserted",))):
        standing = sources - replaced if label == "fresh" else sources
        held = _fixpoint(claims, grounds, standing, carrying)
        for name, claim in claims.items():
            claim[label] = name in held
    return claims


def _muted(header: dict[str, Any], claims: dict[str, dict[str, Any]]) -> None:
    """Mute a claim or let it in again: by itself, or by a request to forget it that waits."""
    claim = claims.get(header.get("claim", ""))
    if claim is None:  # a theme, whose words are sealed
        return
    word = "itself" if header["op"] == "mute" else "request"
    said = header["muting"] if word == "itself" else header["asking"]
    left = [one for one in claim["muted"] if one != word]
    claim["muted"] = sorted([*left, word] if said in ("muted", "asked") else left)


def _erased(
    header: dict[str, Any],
    claims: dict[str, dict[str, Any]],
    grounds: dict[str, dict[str, list[str]]],
    sources: set[str],
) -> None:
    """Take away what an erasure took: sources, single wordings, and claims of which nothing was left."""
    sources.difference_update(header.get("sources", []))
    touched = set(header.get("claims", []))
    for one in header.get("renderings", []):
        grounds[one["claim"]].pop(one["rendering"], None)
        touched.add(one["claim"])
    for claim in header.get("claims", []):
        claims[claim]["lifecycle"] = "erased"
        claims[claim]["muted"] = []
        grounds[claim].clear()
    for claim in touched:
        claims[claim]["version"] += 1


def _fixpoint(
    claims: dict[str, dict[str, Any]],
    grounds: dict[str, dict[str, list[str]]],
    sources: set[str],
    carrying: tuple[str, ...],
) -> set[str]:
    """Return the claims that stand on sources alone, in the end, by justifications whose grounds all carry."""
    users: dict[str, set[str]] = {}
    for claim, justifications in grounds.items():
        for ground in (one for used in justifications.values() for one in used):
            users.setdefault(ground, set()).add(claim)
    held: set[str] = set()
    carries = set(sources)
    queue = list(claims)
    while queue:
        claim = queue.pop()
        if claim in held or not any(carries.issuperset(one) for one in grounds[claim].values()):
            continue
        held.add(claim)
        if claims[claim]["lifecycle"] in carrying:
            carries.add(claim)
            queue.extend(users.get(claim, ()))
    return held


# --- certificates of erasures ---------------------------------------------------------------------------------


def _certificate(text: str, paper: dict[str, Any], key: str, anchor: str) -> list[Finding]:
    """Return everything that is wrong with a certificate, whose text must be the one way to write what it holds."""
    used = key or paper["key"]
    found: list[Finding] = []
    if not key:
        found.append(("INCOMPLETE", "no public key was given, so that of the certificate was used"))
    if text != _written(paper):
        found.append(("INVALID", "the certificate is not written as one: a byte was changed"))
    checks: tuple[Callable[[], list[Finding]], ...] = (
        lambda: _same_key(paper["key"], used),
        lambda: _whole(paper, used),
        lambda: _recorded(paper, used),
        lambda: _told(paper),
        lambda: _absence(paper),
        lambda: _witnessed(paper["checkpoint"], used, anchor) if anchor else [],
    )
    for check in checks:
        try:
            found += check()
        except _MISSHAPEN as error:
            message = f"the certificate is not built as one: {type(error).__name__}: {error}"
            found.append(("INVALID", message))
    return list(dict.fromkeys(found))


def _written(paper: dict[str, Any]) -> str:
    """Return how a certificate is written: names sorted, indented by one, in ASCII."""
    return json.dumps(paper, indent=1, sort_keys=True) + "\n"


def _whole(paper: dict[str, Any], key: str) -> list[Finding]:
    """Return what is wrong with the seal: one signature, over the digest of everything else."""
    body = {name: value for name, value in paper.items() if name != "seal"}
    wanted = f"{CERTIFICATE}\n{hashlib.sha256(_written(body).encode('utf-8')).hexdigest()}\n"
    seal: str = paper["seal"]
    if not _signed(seal, key):
        return [("INVALID", "the seal does not bear the key's signature")]
    name, _, signature = seal.split("\n")[-2].removeprefix("— ").partition(" ")
    exact = base64.b64encode(base64.b64decode(signature, validate=True)).decode("ascii")
    if seal != f"{wanted}\n— {name} {exact}\n":
        return [("INVALID", "the certificate was changed after it was sealed")]
    return []


def _recorded(paper: dict[str, Any], key: str) -> list[Finding]:
    """Return what is wrong between the erasure's record and the checkpoint over the journal."""
    note: str = paper["checkpoint"]
    if not _signed(note, key):
        return [("INVALID", "the checkpoint does not bear the key's signature")]
    origin, size, root = note.split("\n")[:3]
    if origin != key.split("+")[0]:
        return [("INVALID", "the checkpoint is of another journal than the key")]
    record = paper["record"]
    seq: int = record["seq"]
    if seq > int(size):
        return [("TRUNCATED", f"the checkpoint covers {size} records, the erasure is record {seq}")]
    path = [base64.b64decode(step, validate=True) for step in record["proof"]]
    over = base64.b64decode(root, validate=True)
    if not _included(record["header"].encode("utf-8"), seq - 1, int(size), path, over):
        return [("INVALID", f"record {seq}: its proof does not lead to the checkpoint's root")]
    return []


def _told(paper: dict[str, Any]) -> list[Finding]:
    """Return where the certificate tells of the erasure otherwise than its record does."""
    header = json.loads(paper["record"]["header"])
    if header["op"] != "erase" or header["seq"] != paper["record"]["seq"]:
        return [("INVALID", "the record is no erasure, or stands at another place")]
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=header["at"])
    wordings = [f"{one['claim']}/{one['rendering']}" for one in header.get("renderings", [])]
    said: dict[str, Any] = {
        "id": header["id"],
        "sort": header["sort"],
        "basis": header["basis"],
        "erased_at": at.isoformat(timespec="microseconds"),
        "by": header.get("by", "") or "host",
        "behalf": header.get("behalf", ""),
        "scope": header.get("scope", ""),
        "wordings": wordings,
        "names": len(header.get("names", [])),
        "receipts": header.get("receipts", 0),
        "lines": header.get("lines", 0),
        "keys": sum(run["count"] for run in header.get("slots", [])),
        "tombstones": len(header.get("tombstones", [])),
    }
    for name in ("targets", "sources", "claims"):
        said[name] = header.get(name, [])
    told = paper["erasure"]
    return [
        ("INVALID", f"the record says otherwise of the erasure: {name}")
        for name in sorted(said.keys() | told.keys())
        if name not in said or name not in told or said[name] != told[name]
    ]


def _absence(paper: dict[str, Any]) -> list[Finding]:
    """Return where the certificate claims more than was looked at, or itself says that absence is not proven."""
    searched, keys = paper["searched"], paper["erasure"]["keys"]
    clean = (
        searched["slots"] == keys
        and searched["index_read"] is True
        and not any(searched[name] for name in ("slots_alive", "payloads_opened", "rows_found"))
        and not searched["index_files"]
        and {"journal", "payload keys"} <= {file["holds"] for file in searched["files"]}
        and all(
            file["keys_found"] == 0
            and file["looked_through"] is True
            and file["holds"] != "unknown"
            for file in searched["files"]
        )
    )
    if paper["absence"] == "proven":
        if clean and not paper["because"]:
            return []
        return [("INVALID", "absence is claimed beyond what the search found")]
    if paper["absence"] != "not proven" or not paper["because"]:
        return [("INVALID", "whether absence is proven is not said, or not why it is not")]
    return [("INCOMPLETE", f"absence is not proven: {why}") for why in paper["because"]]


def _witnessed(note: str, key: str, anchor: str) -> list[Finding]:
    """Return where an anchor's checkpoint over as many records has another root, or that there is none."""
    origin, size, root = note.split("\n")[:3]
    found: list[Finding] = []
    met = False
    lines = anchor.split("\n")
    for place, line in enumerate(lines):
        if line != origin or lines[place + 1] != size:
            continue
        met = True
        if not _signed("".join(f"{item}\n" for item in lines[place : place + 5]), key):
            message = f"the anchor's checkpoint over {size} records is not signed by the key"
            found.append(("INVALID", message))
        elif lines[place + 2] != root:
            found.append(("DIVERGED", f"the anchor has another root over {size} records"))
    if not met:
        found.append(("INCOMPLETE", f"the anchor holds no checkpoint over {size} records"))
    return found


if __name__ == "__main__":
    sys.exit(main())
