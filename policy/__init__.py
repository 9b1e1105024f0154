"""What may be kept, raised and shown: rules as data, pure functions from values to decisions."""

from .accounts import ACCOUNTS, AccountPolicy, AccountRule, account_rules
from .approval import (
    APPROVALS,
    Approval,
    Preset,
    endorsed_authority,
    judge_approval,
    judge_approver,
    judge_endorsement,
    judge_owner,
    judge_secret,
    judge_settling,
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
from .config import (
    DEFAULT_POLICY,
    FieldType,
    Policy,
    SensitiveScope,
    ToolPolicy,
    fits,
    policy_from,
    read_policy,
)
from .credentials import (
    REMOVED,
    credentials_in,
    judge_credentials,
    parts_without_credentials,
    without_credentials,
)
from .hints import DEFAULT_HINTS, Hint
from .parts import split_own
from .reading import Readable, comes_on_need, is_settled, judge_read, judge_standing, judge_use
from .roles import MAY, judge_role
from .rules import RULES, Rule, decide
from .themes import speaks_of
from .usability import (
    VERBS,
    Circumstances,
    Permit,
    judge_own_memory,
    judge_request,
    judge_right,
    judge_sensitivity,
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
    "MAY",
    "Permit",
    "Policy",
    "PolicyChange",
    "Preset",
    "REMOVED",
    "RULES",
    "Readable",
    "Rule",
    "Ruling",
    "SensitiveScope",
    "ToolPolicy",
    "VERBS",
    "WriteRequest",
    "account_rules",
    "authority_of",
    "comes_on_need",
    "compare_policies",
    "credentials_in",
    "decide",
    "endorsed_authority",
    "fits",
    "is_settled",
    "judge_approval",
    "judge_approver",
    "judge_block",
    "judge_change",
    "judge_claim",
    "judge_credentials",
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
    "judge_role",
    "judge_secret",
    "judge_sensitivity",
    "judge_settling",
    "judge_standing",
    "judge_use",
    "judge_version",
    "parts_without_credentials",
    "policy_from",
    "read_policy",
    "right_to_look",
    "speaks_of",
    "split_own",
    "without_credentials",
]
