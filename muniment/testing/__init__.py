"""What a test of a store needs: strategies, a reference model, invariants."""

__all__: list[str] = []
