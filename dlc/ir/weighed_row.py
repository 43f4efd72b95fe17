"""How a row of sums of weights lies in memory, beside the score that they are relative to."""

ROW_MARGIN = 4
"""Elements behind the sums of a row: the largest score, the total, and two that keep rows at
multiples of 16 bytes.
"""
