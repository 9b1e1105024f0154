"""What a claim carries beside its words: how something failed, why something was decided.

Both are their writer's wording, as a gist is, and stand sealed beside a gist that says all of it: whatever guards words
guards these too.
"""

from .value import Value


class Failure(Value):
    """How something failed: what was seen, why, what did not help, what did, and in which environment."""

    symptom: str = ""
    cause: str = ""
    did_not_work: tuple[str, ...] = ()
    fixed_by: str = ""
    environment: str = ""

    @property
    def told(self) -> str:
        """All of it in one line, empty where nothing is said."""
        parts = (
            ("symptom", self.symptom),
            ("cause", self.cause),
            ("did not work", ", ".join(self.did_not_work)),
            ("fixed by", self.fixed_by),
            ("environment", self.environment),
        )
        return "; ".join(f"{name}: {said}" for name, said in parts if said)

    @property
    def missing(self) -> tuple[str, ...]:
        """What it lacks to be of use to whoever meets it again; the claim's own words may be the symptom."""
        found = [] if self.environment else ["the environment"]
        if not (self.cause or self.did_not_work or self.fixed_by):
            found.append("the cause, what did not work or what fixed it")
        return tuple(found)

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text in it."""
        single = (self.symptom, self.cause, self.fixed_by, self.environment)
        return tuple(text for text in (*single, *self.did_not_work) if text)


class Rejected(Value):
    """An alternative that was not taken, and why not."""

    plan: str
    why: str


class Reasoning(Value):
    """Why something was decided, and what was rejected with why."""

    because: str = ""
    rejected: tuple[Rejected, ...] = ()

    @property
    def told(self) -> str:
        """All of it in one line, empty where nothing is said."""
        because = [f"because: {self.because}"] if self.because else []
        rejected = [f"rejected: {one.plan}, because: {one.why}" for one in self.rejected]
        return "; ".join((*because, *rejected))

    @property
    def missing(self) -> tuple[str, ...]:
        """What a decision lacks that carries this."""
        found = [] if self.because else ["the reason"]
        return (*found, *(() if self.rejected else ("the rejected alternatives",)))

    @property
    def is_whole(self) -> bool:
        """Whether reason and rejected alternatives are said."""
        return not self.missing

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text in it."""
        pairs = (text for one in self.rejected for text in (one.plan, one.why))
        return tuple(text for text in (self.because,) if text) + tuple(pairs)

    def lost_in(self, after: "Reasoning") -> tuple[str, ...]:
        """Return what of it does not stand in another that takes its place."""
        found = [f"the reason “{self.because}”"] if self.because and not after.because else []
        kept = {one.plan for one in after.rejected}
        found += [f"why not “{one.plan}”" for one in self.rejected if one.plan not in kept]
        return tuple(found)
