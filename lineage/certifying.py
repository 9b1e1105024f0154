"""The certificate of an erasure: one signed file that says what went, what was looked for, and what is left.

It holds identifiers and counts, never words. Its bytes are its JSON with sorted names, indented by one, in ASCII; the
seal is a signed note over the SHA-256 of all of it but the seal, so that no byte can be another.
"""

import json
from base64 import b64encode
from hashlib import sha256
from typing import Any

from muniment.claims import EraseRecord, Value, from_micros

from .absence import Gone, Searched
from .checkpoint import Signer
from .proofs import Tree
from .remaining import Disclosed, Remaining, disclosed_of, remaining_of, undetermined_of
from .store import Store

CERTIFICATE = "muniment-certificate/1"


class Certificate(Value):
    """What an erasure destroyed, whether its absence is proven and by what, who had been given it, and what is left.

    `because` says why absence is not proven, and is empty where it is. `text` is the file, to be checked by
    `tools/verify_bundle.py` with the public `key` got from elsewhere.
    """

    erasure: str
    absent: bool
    because: tuple[str, ...]
    searched: Searched
    disclosed: tuple[Disclosed, ...]
    remains: tuple[Remaining, ...]
    undetermined: tuple[str, ...]
    key: str
    text: str


def certify(
    store: Store, signer: Signer, gone: Gone, headers: list[bytes], searched: Searched
) -> Certificate:
    """Return the certificate of an erasure, signed, over the journal whose headers these are."""
    tree = Tree(headers)
    because = searched.found()
    disclosed, remains = disclosed_of(store, gone), remaining_of(store, gone)
    undetermined = undetermined_of(store, gone)
    proof = [b64encode(step).decode("ascii") for step in tree.inclusion(gone.seq - 1, tree.size)]
    body: dict[str, Any] = {
        "type": CERTIFICATE,
        "key": signer.key,
        "made_at": _time(store.now()[0]),
        "erasure": summary_of(gone.header),
        "record": {"seq": gone.seq, "header": gone.raw.decode("utf-8"), "proof": proof},
        "checkpoint": signer.checkpoint(tree.size, tree.root(tree.size)),
        "searched": searched.model_dump(mode="json"),
        "absence": "not proven" if because else "proven",
        "because": list(because),
        "disclosed": [one.model_dump(mode="json") for one in disclosed],
        "remains": [one.model_dump(mode="json") for one in remains],
        "undetermined": list(undetermined),
    }
    digest = sha256(certificate_text(body).encode("ascii")).hexdigest()
    return Certificate(
        erasure=gone.header.id,
        absent=not because,
        because=because,
        searched=searched,
        disclosed=disclosed,
        remains=remains,
        undetermined=undetermined,
        key=signer.key,
        text=certificate_text({**body, "seal": signer.note(f"{CERTIFICATE}\n{digest}\n")}),
    )


def certificate_text(body: dict[str, Any]) -> str:
    """Return the one way in which a certificate is written."""
    return json.dumps(body, indent=1, sort_keys=True) + "\n"


def summary_of(header: EraseRecord) -> dict[str, Any]:
    """Return what an erasure's record says, as the certificate tells it; the verifier makes the same of the record."""
    return {
        "id": header.id,
        "sort": header.sort.value,
        "basis": header.basis.value,
        "erased_at": _time(header.at),
        "by": header.by or "host",
        "behalf": header.behalf,
        "scope": header.scope,
        "targets": list(header.targets),
        "sources": list(header.sources),
        "claims": list(header.claims),
        "wordings": [f"{one.claim}/{one.rendering}" for one in header.renderings],
        "names": len(header.names),
        "receipts": header.receipts,
        "lines": header.lines,
        "keys": sum(run.count for run in header.slots),
        "tombstones": len(header.tombstones),
    }


def _time(micros: int) -> str:
    return from_micros(micros).isoformat(timespec="microseconds")
