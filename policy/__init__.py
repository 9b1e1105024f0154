"""What may be kept, raised and shown: rules as data, pure functions from values to decisions."""

from .categories import CATEGORIES, CategoryRule, authority_of
from .changing import (
    judge_change,
    judge_erasure,
    judge_regeneration,
    judge_reinstatement,
    judge_restore,
)
from .config import DEFAULT_POLICY, FieldType, Policy, ToolPolicy, fits, policy_from, read_policy
from .hints import DEFAULT_HINTS, Hint
from .parts import split_own
from .reading import Readable, is_settled, judge_read, judge_standing, judge_use
from .rules import RULES, Rule, decide
from .writing import Ground, Ruling, WriteRequest, judge_claim

__all__ = [
    "CATEGORIES",
    "CategoryRule",
    "DEFAULT_HINTS",
    "DEFAULT_POLICY",
    "FieldType",
    "Ground",
    "Hint",
    "Policy",
    "RULES",
    "Readable",
    "Rule",
    "Ruling",
    "ToolPolicy",
    "WriteRequest",
    "authority_of",
    "decide",
    "fits",
    "is_settled",
    "judge_change",
    "judge_claim",
    "judge_erasure",
    "judge_read",
    "judge_regeneration",
    "judge_reinstatement",
    "judge_restore",
    "judge_standing",
    "judge_use",
    "policy_from",
    "read_policy",
    "split_own",
]
