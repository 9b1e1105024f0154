"""The ground every core value stands on."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """An immutable value without unknown fields, NaN or infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
