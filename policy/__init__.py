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
    judge_settled,
    judge_settling,
    reviews_block,
)
from .block import judge_block, judge_own_block
from .categories import CATEGORIES, CategoryRule, authority_of
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
from .hints import DEFAULT_HINTS, Hint, sensitive_hint
from .parts import split_own
from .reading import Readable, is_settled, judge_read, judge_standing, judge_use
from .rules import RULES, Rule, decide
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
    "FieldType",
    "Ground",
    "Hint",
    "Permit",
    "Policy",
    "PolicyChange",
    "Preset",
    "RULES",
    "Readable",
    "Rule",
    "Ruling",
    "ToolPolicy",
    "VERBS",
    "WriteRequest",
    "account_rules",
    "authority_of",
    "compare_policies",
    "decide",
    "endorsed_authority",
    "fits",
    "is_settled",
    "judge_approval",
    "judge_block",
    "judge_change",
    "judge_claim",
    "judge_endorsement",
    "judge_erasure",
    "judge_own_block",
    "judge_own_memory",
    "judge_owner",
    "judge_read",
    "judge_regeneration",
    "judge_reinstatement",
    "judge_request",
    "judge_restore",
    "judge_right",
    "judge_secret",
    "judge_settled",
    "judge_settling",
    "judge_standing",
    "judge_use",
    "judge_version",
    "policy_from",
    "read_policy",
    "reviews_block",
    "right_to_look",
    "sensitive_hint",
    "speaks_of",
    "split_own",
]
