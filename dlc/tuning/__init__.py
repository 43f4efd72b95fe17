"""Measured times of schedules: taking them, keeping them, choosing and replaying by them."""
