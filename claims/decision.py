"""What policy answers."""

from .value import Value
from .vocabulary import Verdict


class Decision(Value):
    """A verdict with the rule that made it, a plain reason and what the caller owes in return."""

    verdict: Verdict
    rule: str
    reason: str
    obligations: tuple[str, ...] = ()
