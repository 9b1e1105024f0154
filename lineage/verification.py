"""What verifying a store, or a bundle of it, gives back."""

from enum import StrEnum
from typing import Literal

from muniment.claims import Value

Mode = Literal["fast", "full"]


class Soundness(StrEnum):
    """How a store, or a bundle of it, stands; the first that was found counts."""

    DIVERGED = "DIVERGED"
    TRUNCATED = "TRUNCATED"
    INVALID = "INVALID"
    INCOMPLETE = "INCOMPLETE"
    OK = "OK"


class Finding(Value):
    """One thing that is wrong; `first` to `last` are the records it touches, 0 where no record can be named."""

    soundness: Soundness
    message: str
    first: int = 0
    last: int = 0

    def __str__(self) -> str:
        if not self.first:
            return self.message
        span = (
            f"record {self.first}"
            if self.first == self.last
            else f"records {self.first} to {self.last}"
        )
        return f"{span}: {self.message}"


class Verification(Value):
    """What verifying found, over how many records, and what it could not determine and why."""

    tenant: str
    mode: Mode
    soundness: Soundness
    records: int
    root: str
    payloads: int = 0
    destroyed: int = 0
    findings: tuple[Finding, ...] = ()
    undetermined: tuple[str, ...] = ()

    def also(self, soundness: Soundness, message: str) -> "Verification":
        """Return this with one more finding."""
        found = (*self.findings, Finding(soundness=soundness, message=message))
        worst = next(one for one in Soundness if one in (self.soundness, soundness))
        return self.model_copy(update={"findings": found, "soundness": worst})
