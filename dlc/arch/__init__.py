"""Chips as data: limits, rates and the register layouts of their matrix instructions."""
