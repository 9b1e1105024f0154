"""The surfaces: thin translations of the library; no rule lives here."""

__all__: list[str] = []
