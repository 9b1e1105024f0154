"""Replays of group K: the record stays whole when a claim is destroyed."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

from muniment import Memory, Session, Soundness
from muniment.testing import findings

from .conftest import Elsewhere, stated

SECRET = "the vault code is 47118352 zanzibar"


def verifier() -> ModuleType:
    """Return the tool that checks a bundle without the package."""
    path = Path(__file__).parents[2] / "tools" / "verify_bundle.py"
    spec = importlib.util.spec_from_file_location("verify_bundle", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_m_k4_a_claim_destroyed_leaves_a_valid_chain_without_its_content(
    memory: Memory, kim: Session, tmp_path: Path, elsewhere: Elsewhere
) -> None:
    claim = stated(kim, SECRET)
    kept = stated(kim, "the gate is green")
    answer = kim.recall(SECRET)
    before = memory.checkpoint(anchor=tmp_path / "anchor")
    kim.erase(claim.citations[0].id)
    assert kim.claim(kept.id) == kept

    found = memory.verify(mode="full", anchor=tmp_path / "anchor")
    assert (found.soundness, found.findings) == (Soundness.OK, ())
    assert findings(memory) == () and memory.rebuild()
    bundle = kim.investigate(kept).bundle
    assert verifier().verify(bundle, memory.signer.key, before) == []
    headers = json.loads(bundle)["headers"]
    assert any(claim.id in header and '"op":"erase"' in header for header in headers)
    assert SECRET not in kim.replay(answer).model_dump_json()
    memory.close()

    code, (checked,) = elsewhere("verify", "full", "--anchor", str(tmp_path / "anchor"))
    assert (code, checked["soundness"], checked["findings"]) == (0, "OK", [])
    for file in (tmp_path / "store").rglob("*"):
        if file.is_file():
            held = file.read_bytes()
            assert not any(word in held for word in (b"47118352", b"zanzibar", b"vault")), file
