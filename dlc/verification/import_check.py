"""Checks the nodes of an import against the ONNX reference implementation."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

import onnx

from dlc.core.cache import Cache
from dlc.frontends.onnx.import_record import ImportRecord
from dlc.verification.node_check import check_node
from dlc.verification.node_kind import NodeKind
from dlc.verification.onnx_faults import NoReferenceError

CHEAP_ELEMENTS = 1 << 12
"""Nodes with more elements in their inputs are checked at smaller sizes where they can be."""

MOST_ELEMENTS = 1 << 22
"""Nodes with more elements that cannot be made smaller are left out."""

MOST_KINDS = 500
"""How many kinds of nodes are checked; those of different operators and attributes come first."""

_LISTS = (
    "tensors took the place of the lists that loops fill before the nodes were looked at; "
    "--verify onnxruntime compares the whole model as it is in the file"
)

_CACHE_BYTES = 1e6


@dataclass
class ImportChecked:
    """What was compared with the ONNX reference implementation.

    nodes: how many nodes were imported, those of functions and loops each time. kinds: how many
    kinds there are of them (``NodeKind``). checked: how many of these were compared, now or earlier
    by the same compiler. left_out: why others were not, by operator.
    """

    nodes: int
    kinds: int
    checked: int = 0
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    seconds: float = 0.0

    def certificate(self) -> dict[str, Any]:
        """Return what is kept with the artifact."""
        return {"kinds": self.kinds, "checked": self.checked, "left_out": self.left_out}

    def text(self) -> str:
        """Return a phrase for the user."""
        if not self.left_out:
            return f"import checked for {self.checked} of {self.kinds} kinds of nodes"
        missing = self.kinds - self.checked
        what = f"{missing} of {self.kinds} kinds of nodes not checked against ONNX's reference"
        return f"{what} (see report)"


def check_nodes(record: ImportRecord, version: str, full: bool = False) -> ImportChecked:
    """Compare each kind of node of an import with the reference, once.

    version: of this compiler; what it has checked before is kept. full: leave no kind out, and make
    none smaller. Raises ImportDiffersError, naming the node.
    """
    start = time.monotonic()
    kinds = {kind.key(version, onnx.__version__, str(full)): kind for kind in _kinds(record)}
    found = ImportChecked(len(record.nodes), len(kinds))
    for number, (key, kind) in enumerate(_most_different_first(kinds)):
        if number >= MOST_KINDS and not full:
            found.left_out[kind.name] = f"more than {MOST_KINDS} kinds of nodes"
            continue
        reason = _checked(key, kind, full)
        found.checked += not reason
        if reason:
            found.left_out[kind.name] = reason
    if record.model is not None and record.model.lists_stacked:
        found.kinds += 1
        found.left_out["SequenceInsert"] = _LISTS
    Cache("import").trim_hourly(_CACHE_BYTES)
    found.seconds = time.monotonic() - start
    return found


def _kinds(record: ImportRecord) -> Iterable[NodeKind]:
    return (NodeKind.of(node, record) for node in record.nodes)


def _most_different_first(kinds: Mapping[str, NodeKind]) -> list[tuple[str, NodeKind]]:
    """Return the kinds: first one for each operator and its attributes, then the others."""
    seen: set[tuple[str, bytes]] = set()
    first: dict[str, bool] = {}
    for key, kind in kinds.items():
        form = (kind.name, kind.form())
        first[key] = form not in seen
        seen.add(form)
    return sorted(kinds.items(), key=lambda item: not first[item[0]])


def _checked(key: str, kind: NodeKind, full: bool) -> str:
    """Check a kind unless this was done before; return why it was left out, if it was."""
    cache = Cache("import")
    before = cache.get(key)
    if before is not None:
        return before.decode()
    reason = ""
    try:
        check_node(kind, inf if full else CHEAP_ELEMENTS, inf if full else MOST_ELEMENTS)
    except NoReferenceError as error:
        reason = str(error)
    cache.put(key, reason.encode())
    return reason
