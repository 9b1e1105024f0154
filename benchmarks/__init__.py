"""Measuring: each module prints what it found, beside a baseline run in the same process on the same data."""
