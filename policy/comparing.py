"""Two policies beside each other: what one says otherwise than the other."""

from muniment.claims import Value

from .config import Policy


class PolicyChange(Value):
    """One line of a policy that is otherwise in another: `before` and `after`, empty where it does not stand."""

    name: str
    before: str = ""
    after: str = ""


def compare_policies(before: Policy, after: Policy) -> tuple[PolicyChange, ...]:
    """Return every line in which two policies differ, sorted by name; the states of accounts as they work out."""
    was, will = _lines(before), _lines(after)
    return tuple(
        PolicyChange(name=name, before=was.get(name, ""), after=will.get(name, ""))
        for name in sorted(was.keys() | will.keys())
        if was.get(name) != will.get(name)
    )


def _lines(policy: Policy) -> dict[str, str]:
    fields = {
        f"tools.{tool}.{field}": sort
        for tool, registered in policy.tools.items()
        for field, sort in registered.fields.items()
    }
    tools = {f"tools.{tool}": "registered" for tool in policy.tools}
    states = {
        f"accounts.{account.value}.{name}": str(value).lower()
        for account, rule in policy.states.items()
        for name, value in rule.model_dump(exclude={"account"}).items()
    }
    terms = {
        ".".join(("definitions", one.term, *filter(None, (one.org, one.project)))): one.means
        for one in policy.definitions
    }
    return {"preset": policy.preset, **tools, **fields, **states, **terms}
