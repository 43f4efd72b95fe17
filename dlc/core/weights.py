"""The tensors that ``graph.weight`` names; their bytes stay outside the IR."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dlc.errors import CompileError

Array = NDArray[np.generic]

HASHED_BYTES = 1 << 20
"""Arrays of at most this many bytes are stored once per content when added."""


@dataclass(frozen=True)
class WeightType:
    """Shape and numpy dtype of a stored tensor."""

    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def bytes(self) -> int:
        """The bytes of the tensor, stored densely."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize


@dataclass(frozen=True)
class _Entry:
    type: WeightType
    load: Callable[[], Array]
    information: str
    inputs: tuple[str, ...] = ()
    compute: Callable[..., Array] | None = None


class WeightStore:
    """Symbol to tensor. Tensors are memory-mapped, or computed each time that they are read.

    A symbol is generated (``w12``) and plain ASCII; the name in the model is only information.
    Arrays that are read must not be written to.
    """

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._by_content: dict[tuple[WeightType, str], str] = {}
        self._count = 0

    def add(self, name: str, array: Array) -> str:
        """Store an array (typically a view of a memory-mapped file) and return its symbol.

        name: what the model calls it; information only. Small arrays of equal content share a
        symbol.
        """
        type = WeightType(array.shape, array.dtype)
        key = None
        if type.bytes <= HASHED_BYTES:
            key = (type, _digest(array))
            if key in self._by_content:
                return self._by_content[key]
        symbol = self._insert(_Entry(type, lambda: array, name))
        if key is not None:
            self._by_content[key] = symbol
        return symbol

    def derive(
        self,
        name: str,
        type: WeightType,
        inputs: Sequence[str],
        compute: Callable[..., Array],
    ) -> str:
        """Store a tensor that ``compute`` makes of the tensors ``inputs``, and return its symbol.

        compute is called with the arrays of ``inputs`` at each read and must always give the same
        result; nothing it returns is kept, so that memory holds one such tensor at a time.
        """

        def load() -> Array:
            result = np.ascontiguousarray(compute(*map(self.array, inputs)))
            found = WeightType(result.shape, result.dtype)
            if found != type:
                raise CompileError(f"the computed weight {name} is {found}, expected {type}")
            return result

        return self._insert(_Entry(type, load, name, tuple(inputs), compute))

    def define(self, symbol: str, array: Array) -> None:
        """Store an array under a symbol of the caller's; raises CompileError if it is taken."""
        self._define(symbol, _Entry(WeightType(array.shape, array.dtype), lambda: array, symbol))

    def _define(self, symbol: str, entry: _Entry) -> None:
        if symbol in self._entries:
            raise CompileError(f"weight @{symbol} is defined twice")
        self._entries[symbol] = entry

    def declare(self, symbol: str, type: WeightType) -> None:
        """Store a tensor whose elements are elsewhere under a symbol of the caller's: to read it
        raises CompileError, as does a symbol that is taken.
        """

        def load() -> Array:
            raise CompileError(f"the elements of weight @{symbol} are not here")

        self._define(symbol, _Entry(type, load, symbol))

    def origin(self, symbol: str) -> tuple[str, tuple[Callable[..., Array], ...]]:
        """Return the tensor from which a tensor is computed, and by what, one after the other: by
        nothing where it is stored. Raises CompileError where it is computed from several.
        """
        steps: list[Callable[..., Array]] = []
        while (compute := (entry := self._entry(symbol)).compute) is not None:
            if len(entry.inputs) != 1:
                raise CompileError(f"weight @{symbol} is computed from {len(entry.inputs)} weights")
            (symbol,) = entry.inputs
            steps.insert(0, compute)
        return symbol, tuple(steps)

    def _insert(self, entry: _Entry) -> str:
        while (symbol := f"w{self._count}") in self._entries:
            self._count += 1
        self._count += 1
        self._entries[symbol] = entry
        return symbol

    def _entry(self, symbol: str) -> _Entry:
        if symbol not in self._entries:
            raise CompileError(
                f"weight @{symbol} is not in the store of {len(self._entries)} weights"
            )
        return self._entries[symbol]

    def array(self, symbol: str) -> Array:
        """Return the tensor; raises CompileError for an unknown symbol."""
        return self._entry(symbol).load()

    def type(self, symbol: str) -> WeightType:
        """Return shape and dtype of a tensor without reading it."""
        return self._entry(symbol).type

    def information(self, symbol: str) -> str:
        """Return the name of the tensor in the model, for reports only."""
        return self._entry(symbol).information

    def retain(self, symbols: Sequence[str]) -> None:
        """Forget every tensor but ``symbols`` and what they are computed from."""
        needed: set[str] = set()
        pending = list(symbols)
        while pending:
            symbol = pending.pop()
            if symbol not in needed:
                needed.add(symbol)
                pending.extend(self._entry(symbol).inputs)
        self._entries = {s: e for s, e in self._entries.items() if s in needed}
        self._by_content = {k: s for k, s in self._by_content.items() if s in needed}

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, symbol: object) -> bool:
        return symbol in self._entries


def _digest(array: Array) -> str:
    digest = hashlib.blake2b(f"{array.shape} {array.dtype}".encode(), digest_size=16)
    flat = np.ascontiguousarray(array).reshape(-1)
    digest.update(flat.view(np.uint8).data)
    return digest.hexdigest()
