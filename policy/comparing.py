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
    sensitive = {
        "sensitive." + ",".join(f"{name}={named}" for name, named in where.items()): "agents: "
        + ", ".join(agents)
        for row in policy.sensitive
        for where, agents in [
            (row.model_dump(exclude={"agents"}, exclude_defaults=True), row.agents)
        ]
    }
    ends = {rule.name: f"{rule.days} days" for rule in policy.retention_rules.values()}
    rest = {
        "retention.needed": policy.retention.needed,
        "retention.backup": f"{policy.retention.backup} days",
    }
    stores = {f"stores.{key}": "known" for key in policy.stores}
    terms = {
        ".".join(("definitions", one.term, *filter(None, (one.org, one.project)))): one.means
        for one in policy.definitions
    }
    return {
        "preset": policy.preset,
        **tools,
        **fields,
        **stores,
        **_logins(policy),
        **states,
        **sensitive,
        **_origins(policy),
        **ends,
        **rest,
        **terms,
    }


def _logins(policy: Policy) -> dict[str, str]:
    lines: dict[str, str] = {}
    for tool, registered in policy.tools.items():
        if registered.services:
            lines[f"tools.{tool}.services"] = ", ".join(registered.services)
        if registered.who_am_i:
            lines[f"tools.{tool}.who_am_i"] = registered.who_am_i
        if registered.looked_up:
            lines[f"tools.{tool}.looked_up"] = (
                f"{registered.looked_up.asked}, {registered.looked_up.found}"
            )
    return lines


def _origins(policy: Policy) -> dict[str, str]:
    return {
        f"origins.{origin}.{name}": value
        for origin, rule in policy.origins.items()
        for name, value in (
            ("enter", str(rule.enter).lower()),
            ("categories", ", ".join(one.value for one in rule.categories)),
            ("keep_days", str(rule.keep_days)),
            ("minimum", rule.minimum),
        )
    }
