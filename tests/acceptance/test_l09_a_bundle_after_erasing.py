"""L09 and L05 together: what was revoked and erased is replayed by the stand-alone verifier as the store has it."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from muniment import Memory

TOOL = Path(__file__).resolve().parents[2] / "tools" / "verify_bundle.py"


def test_a_bundle_made_after_erasing_and_revoking_is_sound(
    quick: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    first, second = kim.message("We deploy on Fridays."), kim.message("금요일에 배포한다.")
    gone = kim.remember("We deploy on Fridays.", kind="stated", sources=[first])
    kept = kim.remember("금요일에 배포한다.", kind="stated", sources=[second])
    both = kim.remember("Deploys are weekly", sources=[gone])
    kim.remember("Deploys are weekly", sources=[kept])
    kim.erase(first)
    kim.revoke(second)

    found = kim.investigate(kim.claim(both.id))
    bundle = tmp_path / "bundle.json"
    bundle.write_text(found.bundle, encoding="utf-8")
    told = subprocess.run(
        [sys.executable, str(TOOL), str(bundle), "--key", memory.signer.key],
        capture_output=True,
        text=True,
        check=False,
    )

    status = json.loads(found.bundle)["status"]
    assert status[both.id]["supported"] is False
    assert (told.returncode, told.stdout.splitlines()[0]) == (0, "OK"), told.stdout
