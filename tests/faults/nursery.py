"""Runs beside the tests: makes writers as children of itself, so that none has to import anything, and lets them die.

Reads one JSON object a line: {"store", "acks", "failpoint", "passage", "seed"}. Prints the child's number when it
begins and its exit status when it ended. A child writes into the store and notes in the file `acks`, one JSON object
a line, what the store acknowledged.
"""

import json
import os
import random
import signal
import sys
from typing import Any

from muniment import Claim, Memory, Source
from muniment.testing import flat_embedder

ENOUGH = 400  # writes after which a child that nothing stopped ends by itself


def live(order: dict[str, Any]) -> None:
    """Write until killed: messages, claims of them, corrections of those."""
    passed = 0

    def reach(name: str) -> None:
        nonlocal passed
        passed += name == order["failpoint"]
        if name == order["failpoint"] and passed == order["passage"]:
            os.kill(os.getpid(), signal.SIGKILL)

    acks = os.open(order["acks"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def acknowledged(**what: object) -> None:
        os.write(acks, b"\n" + json.dumps(what).encode() + b"\n")

    choose = random.Random(order["seed"])
    with Memory.open(order["store"], embedder=flat_embedder(), reach=reach) as memory:
        acknowledged(op="open")
        kim = memory.session(person="kim", project="apollo")
        claims: list[Claim] = []
        for number in range(ENOUGH):
            text = f"배포 {order['seed']}-{number} goes to staging" + " 그리고" * choose.choice(
                (0, 9, 900)
            )
            said: Source = kim.message(text)
            acknowledged(op="message", id=said.id, text=text)
            match choose.randrange(3):
                case 0 if claims:
                    old = claims.pop(choose.randrange(len(claims)))
                    new = kim.correct(old, text[:2000], sources=[said])
                    acknowledged(op="correct", id=new.id, old=old.id, text=text[:2000])
                    claims.append(new)
                case 1 if claims:
                    gone = kim.retract(claims.pop(), reason=text[:100])
                    acknowledged(op="retract", id=gone.id)
                case _:
                    kept = kim.remember(text[:2000], kind="stated", sources=[said])
                    acknowledged(op="claim", id=kept.id, text=text[:2000])
                    claims.append(kept)
            if number % 7 == 6:
                memory.store.post()


def main() -> None:
    """Give birth to one writer after the other, as the lines ask."""
    for line in sys.stdin:
        child = os.fork()
        if not child:
            status = 1
            try:
                live(json.loads(line))
                status = 0
            finally:
                os._exit(status)
        print(child, flush=True)
        _, ended = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(ended), flush=True)


if __name__ == "__main__":
    main()
