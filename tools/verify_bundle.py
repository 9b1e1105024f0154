#!/usr/bin/env python3
"""Check a bundle of Muniment without Muniment: Python's standard library and `cryptography` only.

    python verify_bundle.py bundle.json --key KEY [--anchor FILE]

KEY is the journal's public key as `muniment checkpoint --key` shows it, got from elsewhere than the bundle.
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
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FORMAT = "muniment-bundle/1"
CODES = {"DIVERGED": 13, "TRUNCATED": 12, "INVALID": 11, "INCOMPLETE": 14, "OK": 0}
OPS = frozenset(
    "entity scope policy source claim assert change access erase receipt refusal "
    "block secret pause mute forget account".split()
)
STANDING = frozenset(("lifecycle", "version", "replaced_by", "supported", "fresh"))
Finding = tuple[str, str]
_MISSHAPEN = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError)


def main(arguments: list[str] | None = None) -> int:
    """Check one bundle, print what was found and return the exit code."""
    parser = argparse.ArgumentParser(description="Check a bundle of Muniment.")
    parser.add_argument("bundle", help="the file bundle.json")
    parser.add_argument("--key", default="", help="the journal's public key, got from elsewhere")
    parser.add_argument("--anchor", default="", help="a file of checkpoints kept elsewhere")
    given = parser.parse_args(arguments)
    with open(given.bundle, encoding="utf-8") as file:
        text = file.read()
    anchor = ""
    if given.anchor:
        with open(given.anchor, encoding="utf-8") as file:
            anchor = file.read()
    found = verify(text, given.key, anchor)
    word = next((word for word in CODES if any(sort == word for sort, _ in found)), "OK")
    print(word)
    for sort, message in found:
        print(f"  {sort}: {message}")
    return CODES[word]


def verify(text: str, key: str, anchor: str = "") -> list[Finding]:
    """Return everything that is wrong with the text of a bundle; nothing when it is sound."""
    try:
        bundle = json.loads(text)
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


def _replayed(headers: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return how every claim stands: its lifecycle folded, its support and freshness as least fixpoints."""
    claims: dict[str, dict[str, Any]] = {}
    grounds: dict[str, dict[str, list[str]]] = {}
    sources: set[str] = set()
    for header in headers:
        match header["op"]:
            case "source":
                sources.add(header["id"])
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
        held = _fixpoint(claims, grounds, sources, carrying)
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


if __name__ == "__main__":
    sys.exit(main())
