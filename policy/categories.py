"""What each category of claim may do and how it is recalled, as data."""

from typing import Literal

from muniment.claims import Authority, Category, Integrity, Value


class CategoryRule(Value):
    """How claims of a category are recalled and how far a person's own may reach.

    `recall`: `always` (whenever in scope), `similar`, `similar and recent`, `same tool`, `term in the question`, or
    `never`: what lives apart from memory. `critical`: its value decides where something goes or who acts.
    `environment`: it says how things are where the work is done. `days`: how long it lives unless said otherwise, 0 for
    no such end. `most`: how many of those that always come do so, the newest; 0 for all of them.
    """

    category: Category
    recall: Literal[
        "always", "similar", "similar and recent", "same tool", "term in the question", "never"
    ]
    reach: Authority
    critical: bool = False
    environment: bool = False
    days: int = 0
    most: int = 0
    retention: str = "until replaced"


CATEGORIES: dict[Category, CategoryRule] = {
    rule.category: rule
    for rule in (
        CategoryRule(
            category=Category.PREFERENCE, recall="always", reach=Authority.PREFER, most=20
        ),
        CategoryRule(category=Category.CONSTRAINT, recall="always", reach=Authority.DIRECT),
        CategoryRule(category=Category.DECISION, recall="similar", reach=Authority.PREFER),
        CategoryRule(
            category=Category.FACT,
            recall="similar and recent",
            reach=Authority.INFORM,
            environment=True,
        ),
        CategoryRule(
            category=Category.FAILURE,
            recall="same tool",
            reach=Authority.INFORM,
            environment=True,
            retention="until its environment changes",
        ),
        CategoryRule(
            category=Category.ACCOUNT,
            recall="similar",
            reach=Authority.INFORM,
            critical=True,
            environment=True,
        ),
        CategoryRule(
            category=Category.CONTACT, recall="similar", reach=Authority.INFORM, critical=True
        ),
        CategoryRule(
            category=Category.DEFINITION, recall="term in the question", reach=Authority.INFORM
        ),
        CategoryRule(category=Category.THEME, recall="similar", reach=Authority.INFORM),
        CategoryRule(
            category=Category.TASK,
            recall="never",
            reach=Authority.INFORM,
            days=14,
            retention="until it is done, two weeks unless said otherwise",
        ),
        CategoryRule(category=Category.PROCEDURE, recall="never", reach=Authority.INFORM),
    )
}
MEMORIES = tuple(rule.category for rule in CATEGORIES.values() if rule.recall != "never")
"""The categories of what is remembered; tasks and procedures live apart, with verbs of their own."""


def authority_of(category: Category, integrity: Integrity) -> Authority:
    """Return what a claim may do: a person's own as far as its category reaches, everything else informs."""
    return CATEGORIES[category].reach if integrity >= Integrity.USER else Authority.INFORM
