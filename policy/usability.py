"""Owned is not the same as usable: what a session may do with the memory that is its person's."""

from collections.abc import Mapping

from muniment.claims import Account, Decision, Right, ScopeField, Value, Verdict

from .accounts import AccountRule
from .rules import decide

_ALLOWED = {
    Right.ACCUMULATE: "MAY_ACCUMULATE",
    Right.PROMPT: "MAY_PROMPT",
    Right.MANAGE: "MAY_MANAGE",
}

# Which right each verb of a session needs. A verb that is not named here needs the strictest, to accumulate.
VERBS: dict[str, Right] = {
    **dict.fromkeys(("recall", "assemble", "search_conversations"), Right.PROMPT),
    **dict.fromkeys(
        (
            "message", "tool_result", "document", "remember", "confirm", "correct", "supersede", "regenerate",
            "reinstate", "challenge", "approve", "request_endorsement", "endorse", "decline_endorsement",
            "rewrite_block", "accept_block", "put_back_block", "task", "keep_procedure",
            "import_lines", "approve_origin", "request_own", "mark_own", "attach",
        ),
        Right.ACCUMULATE,
    ),
    **dict.fromkeys(
        (
            "retract", "erase", "erase_conversation", "erase_scope", "revoke", "give_back", "pause", "resume", "mute",
            "unmute",
            "mutes", "request_forget", "decline_forget", "forget_requests", "why", "trace", "evidence_of",
            "investigate", "prov", "history", "claim", "source", "claims", "stale", "export", "consequences", "review",
            "replay", "difference", "weigh", "weighings", "backdated", "sensitive", "retention", "retentions",
            "declare_sensitive", "lift_sensitive", "review_origins", "reject_origin",
            "tasks", "finish_task", "procedures", "export_procedure",
            "reject", "block", "block_history", "waiting_block", "decline_block", "clear_block", "set_secret", "prove",
            "keep_as_quotation", "choices", "why_not", "compare",
        ),
        Right.MANAGE,
    ),
}  # fmt: skip


class Circumstances(Value):
    """What decides over the use of memory in a session: who is there, how the account stands.

    `paused` are the narrowest names of the scopes that are: person, project, session and the like.
    """

    identified: bool
    off_the_record: bool = False
    paused: tuple[ScopeField, ...] = ()
    account: Account = Account.ACTIVE


class Permit(Value):
    """The answer to whether a session has a right, true or false, with the decision behind it."""

    right: Right
    decision: Decision

    def __bool__(self) -> bool:
        """Return whether the right is there."""
        return self.decision.verdict is not Verdict.REFUSE

    @property
    def reason(self) -> str:
        """Why, in plain words."""
        return self.decision.reason

    @property
    def told(self) -> str:
        """The rule and the reason, as a note of an answer says them."""
        return f"{self.decision.rule}: {self.decision.reason}"


def judge_right(
    right: Right, given: Circumstances, accounts: Mapping[Account, AccountRule]
) -> Decision:
    """Return whether a session may accumulate, bring into prompts, or see, export and delete.

    Seeing, exporting and deleting what is one's own is never switched off; it only needs somebody who it is.
    """
    if not given.identified:
        return decide("NO_IDENTITY")
    if right is Right.MANAGE:
        return decide("MAY_MANAGE")
    if given.off_the_record:
        return decide("OFF_THE_RECORD")
    if given.paused:
        return decide("PAUSED", ", ".join(given.paused))
    rule = accounts[given.account]
    if not (rule.accumulate if right is Right.ACCUMULATE else rule.prompt):
        return decide("ACCOUNT_STATE", given.account.value)
    return decide(_ALLOWED[right])


def right_to_look(*, agent: bool) -> Right:
    """Return which right it takes to look something up: what an agent reads is in a prompt, a person just sees it."""
    return Right.PROMPT if agent else Right.MANAGE


def judge_own_memory(*, alone: bool, own_scope: bool) -> Decision:
    """Return whether somebody may pause, mute or decline: `alone`, no agent acts; `own_scope`, it is hers."""
    if not alone:
        return decide("ONLY_HERSELF")
    return decide("OWN_MEMORY" if own_scope else "NOT_YOUR_SCOPE")


def judge_request(*, own_scope: bool, declined: bool) -> Decision:
    """Return whether somebody may ask to forget a claim: anybody who acts for its person, until she declined."""
    if not own_scope:
        return decide("NOT_YOUR_SCOPE")
    return decide("DECLINED_TO_FORGET" if declined else "ASKED_TO_FORGET")


def judge_sensitivity(*, alone: bool, own_scope: bool, by_policy: bool = False) -> Decision:
    """Return whether somebody may declare something sensitive or lift that; `by_policy`, the policy does."""
    if not alone:
        return decide("ONLY_SHE_DECLARES")
    if not own_scope:
        return decide("NOT_YOUR_SCOPE")
    return decide("POLICY_DECLARES" if by_policy else "OWN_MEMORY")
