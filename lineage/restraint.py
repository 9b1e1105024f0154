"""What is kept out of use without being lost: pauses, mutes, requests to forget, states of accounts."""

from collections import Counter
from collections.abc import Iterable

from muniment.claims import Account, Asking, Muting, Pausing


class Restraint:
    """What is out of use now; all by sequence number, a claim or theme with the record that muted it."""

    def __init__(self) -> None:
        self.paused: set[int] = set()
        self.pauses: Counter[int] = Counter()
        self.accounts: dict[int, tuple[Account, int]] = {}
        self.muted: dict[int, int] = {}
        self.themes: dict[int, int] = {}
        self.requests: dict[int, int] = {}
        self.declined: set[int] = set()
        self.about: dict[int, list[int]] = {}
        self.records: list[int] = []

    def pause(self, scope: int, pausing: Pausing) -> None:
        """Take in that memory was paused or resumed in a scope."""
        self.pauses[scope] += pausing is Pausing.PAUSED
        (self.paused.add if pausing is Pausing.PAUSED else self.paused.discard)(scope)

    def set_account(self, seq: int, person: int, account: Account) -> None:
        """Take in the state of a person's account."""
        self.accounts[person] = (account, seq)

    def mute(self, seq: int, claim: int, scope: int, theme: int, muting: Muting) -> None:
        """Take in that a claim, or a theme in a scope, was muted or let in again; `theme` is its first record."""
        self.records.append(seq)
        if claim:
            self.about.setdefault(claim, []).append(seq)
            self.muted.pop(claim, None)
            if muting is Muting.MUTED:
                self.muted[claim] = seq
        elif muting is Muting.MUTED:
            self.themes[seq] = scope
        else:
            self.themes.pop(theme, None)

    def ask(self, seq: int, claim: int, asking: Asking) -> None:
        """Take in that somebody asked to forget a claim, or that its person declined to."""
        self.records.append(seq)
        self.about.setdefault(claim, []).append(seq)
        if asking is Asking.ASKED:
            self.requests[claim] = seq
        else:
            self.requests.pop(claim, None)
            self.declined.add(claim)

    def let_go(self, claims: Iterable[int]) -> None:
        """Take in that claims were erased: there is nothing left of them to mute or to forget."""
        for claim in claims:
            self.muted.pop(claim, None)
            self.requests.pop(claim, None)
            self.declined.discard(claim)
