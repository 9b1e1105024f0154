"""What each category of claim may do and how it is recalled, as data."""

from typing import Literal

from muniment.claims import Authority, Category, Integrity, Value


class CategoryRule(Value):
    """How claims of a category are recalled and how far a person's own may reach.

    `recall`: `always` (whenever in scope), `similar`, `similar and recent`, or `same tool`.
    `critical`: its value decides where something goes or who acts.
    """

    category: Category
    recall: Literal["always", "similar", "similar and recent", "same tool"]
    reach: Authority
    critical: bool = False
    retention: str = "until replaced"


CATEGORIES: dict[Category, CategoryRule] = {
    rule.category: rule
    for rule in (
        CategoryRule(category=Category.PREFERENCE, recall="always", reach=Authority.PREFER),
        CategoryRule(category=Category.CONSTRAINT, recall="always", reach=Authority.DIRECT),
        CategoryRule(category=Category.DECISION, recall="similar", reach=Authority.PREFER),
        CategoryRule(category=Category.FACT, recall="similar and recent", reach=Authority.INFORM),
        CategoryRule(
            category=Category.FAILURE,
            recall="same tool",
            reach=Authority.INFORM,
            retention="until its environment changes",
        ),
        CategoryRule(
            category=Category.ACCOUNT, recall="similar", reach=Authority.INFORM, critical=True
        ),
        CategoryRule(
            category=Category.CONTACT, recall="similar", reach=Authority.INFORM, critical=True
        ),
        CategoryRule(category=Category.DEFINITION, recall="similar", reach=Authority.INFORM),
        CategoryRule(category=Category.THEME, recall="similar", reach=Authority.INFORM),
    )
}


def authority_of(category: Category, integrity: Integrity) -> Authority:
    """Return what a claim may do: a person's own as far as its category reaches, everything else informs."""
    return CATEGORIES[category].reach if integrity >= Integrity.USER else Authority.INFORM
