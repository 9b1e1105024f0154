"""What may be kept, raised and shown: rules as data, pure functions from values to decisions."""

from .accounts import ACCOUNTS, AccountPolicy, AccountRule, account_rules
from .approval import (
    APPROVALS,
    Approval,
    Preset,
    endorsed_authority,
    judge_approval,
    judge_endorsement,
    judge_owner,
    judge_secret,
    judge_settling,
)
from .block import judge_block, judge_own_block
from .categories import CATEGORIES, MEMORIES, CategoryRule, authority_of
from .changing import (
    judge_change,
    judge_erasure,
    judge_regeneration,
    judge_reinstatement,
    judge_restore,
    judge_version,
)
from .comparing import PolicyChange, compare_policies
from .config import DEFAULT_POLICY, FieldType, Policy, ToolPolicy, fits, policy_from, read_policy
from .definitions import Definition, definitions_for
from .hints import DEFAULT_HINTS, Hint
from .hygiene import (
    HYGIENE,
    Draft,
    HygieneRule,
    Pressed,
    hygiene_hints,
    in_place,
    is_asked,
    judge_hygiene,
    judge_lines,
    judge_reasoning,
    judge_task,
    pressed,
)
from .parts import split_own
from .reading import Readable, is_settled, judge_read, judge_standing, judge_use
from .rules import RULES, Rule, decide
from .signs import SIGNS, Sign
from .themes import speaks_of
from .usability import (
    VERBS,
    Circumstances,
    Permit,
    judge_own_memory,
    judge_request,
    judge_right,
    right_to_look,
)
from .writing import Ground, Ruling, WriteRequest, judge_claim

__all__ = [
    "ACCOUNTS",
    "APPROVALS",
    "AccountPolicy",
    "AccountRule",
    "Approval",
    "CATEGORIES",
    "CategoryRule",
    "Circumstances",
    "DEFAULT_HINTS",
    "DEFAULT_POLICY",
    "Definition",
    "Draft",
    "FieldType",
    "Ground",
    "HYGIENE",
    "Hint",
    "HygieneRule",
    "MEMORIES",
    "Permit",
    "Policy",
    "PolicyChange",
    "Preset",
    "Pressed",
    "RULES",
    "Readable",
    "Rule",
    "Ruling",
    "SIGNS",
    "Sign",
    "ToolPolicy",
    "VERBS",
    "WriteRequest",
    "account_rules",
    "authority_of",
    "compare_policies",
    "decide",
    "definitions_for",
    "endorsed_authority",
    "fits",
    "hygiene_hints",
    "in_place",
    "is_asked",
    "is_settled",
    "judge_approval",
    "judge_block",
    "judge_change",
    "judge_claim",
    "judge_endorsement",
    "judge_erasure",
    "judge_hygiene",
    "judge_lines",
    "judge_own_block",
    "judge_own_memory",
    "judge_owner",
    "judge_read",
    "judge_reasoning",
    "judge_regeneration",
    "judge_reinstatement",
    "judge_request",
    "judge_restore",
    "judge_right",
    "judge_secret",
    "judge_settling",
    "judge_standing",
    "judge_task",
    "judge_use",
    "judge_version",
    "policy_from",
    "pressed",
    "read_policy",
    "right_to_look",
    "speaks_of",
    "split_own",
]
