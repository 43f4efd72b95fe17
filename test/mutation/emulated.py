"""A GPU artifact that runs in the emulator although nobody verifies it."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from graph_maker import Feeds, SmallModel

from dlc.compiler import Options, compile_to, verifier
from dlc.verification.emulation import Variant, emulated_model

Look = Callable[[Callable[[Feeds], Mapping[str, Any]]], None]


class _SeenError(Exception):
    """Ends a compile whose artifact has run."""


def look_at(model: SmallModel, target: str, path: Path, look: Look) -> None:
    """Compile a model, and call ``look`` with what runs its artifact in place of verification."""

    def emulate(artifact: Path, target: str, variants: Sequence[Variant], *rest: Any) -> None:
        del rest
        with tempfile.TemporaryDirectory() as folder:
            look(emulated_model(artifact, Path(folder), target, variants, 1).run)
        raise _SeenError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verifier, "verify_by_emulation", emulate)
        patch.setattr("dlc.compiler.verifier.Verifier._simulate", lambda *_: None)
        try:
            compile_to(path, model.proto, Options(target, model.precision))
        except _SeenError:
            return
    raise AssertionError("the artifact was not emulated")
