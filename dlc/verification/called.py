"""What became of the libraries that kernels of an artifact call, in a run."""

from collections.abc import Mapping
from typing import Any

from dlc.runtime.model import Model
from dlc.verification.guarded_model import GuardedModel

States = Mapping[str, Mapping[str, Any]]
"""Of each library what a report says (``CalledLibrary.data``), by its name."""


def called_state(model: Model | GuardedModel) -> States:
    """Return what a model says of its libraries, after a run."""
    if isinstance(model, Model):
        return model.report.get("libraries", {})
    return model.libraries


def computing(states: States) -> list[str]:
    """Return the libraries that compute some kernel: they were found, and do not refuse all."""
    return [name for name, state in states.items() if state["used"] and not _refuses_all(state)]


def refusing(states: States) -> dict[str, str]:
    """Return for each library that computes some kernels, but not all that call it, which."""
    return {
        name: f"{states[name]['refused']} of {states[name]['kernels']}"
        for name in computing(states)
        if "refused" in states[name]
    }


def _refuses_all(state: Mapping[str, Any]) -> bool:
    return "refused" in state and state["refused"] == state["kernels"]
