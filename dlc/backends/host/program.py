"""What the host does to run a model once: kernel launches and copies between addresses."""

from dataclasses import dataclass
from typing import Literal

Space = Literal["input", "output", "weight", "workspace"]


@dataclass(frozen=True)
class Tensor:
    """An input or output of the model; ``dtype`` is numpy's name of it."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int


@dataclass(frozen=True)
class Address:
    """A place in memory: byte ``offset`` of the weights, of the workspace, or of the caller's input
    or output number ``buffer``.
    """

    space: Space
    offset: int = 0
    buffer: int = 0


@dataclass(frozen=True)
class Launch:
    """A kernel run for a group: inputs, then outputs, then scratch.

    after: the launches that must have ended before, by number; with them end those that they come
    after. first: whether it begins before others that could.
    """

    kernel: str
    group: str
    operands: tuple[Address, ...]
    after: tuple[int, ...] = ()
    first: bool = False


@dataclass(frozen=True)
class Copy:
    """Bytes that are copied to an output of the model after all launches."""

    target: Address
    source: Address
    bytes: int


@dataclass(frozen=True)
class HostProgram:
    """One run of a model."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    launches: tuple[Launch, ...]
    copies: tuple[Copy, ...]
    workspace_bytes: int
