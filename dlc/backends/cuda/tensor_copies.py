"""Copies of boxes of tensors as functions of CUDA text (PTX ISA, "cp.async.bulk.tensor").

Coordinates are given as in the IR, the last axis last; PTX wants it first.
"""

from collections.abc import Sequence

from dlc.core.tensor_map import MOST_AXES, TensorMap

TENSOR_MAP = "tensor_map"
"""The type of the parameters: what the driver encodes is 128 bytes at a multiple of 64."""

_ANY_AXES = range(1, MOST_AXES + 1)
_IMAGE_AXES = range(3, MOST_AXES + 1)


def tensor_copy_name(map: TensorMap, multicast: bool) -> str:
    """Return the name of the function that copies a box to shared memory, of this block or, last
    argument, of several blocks of the cluster.
    """
    return _copy_name(map.rank, map.is_im2col, multicast)


def _copy_name(axes: int, im2col: bool, multicast: bool) -> str:
    mode = "im2col_" * im2col + "multicast_" * multicast
    return f"tensor_copy_{mode}{axes}d"


def tensor_store_name(map: TensorMap) -> str:
    """Return the name of the function that stores a box."""
    return f"tensor_store_{map.rank}d"


def prefetch_name(map: TensorMap) -> str:
    """Return the name of the function that brings a box to the L2 cache."""
    return f"prefetch_tensor_{map.rank}d"


def tensor_copies() -> dict[str, str]:
    """Return the definitions of the type and of each function on it."""
    return {
        TENSOR_MAP: f"\nstruct alignas(64) {TENSOR_MAP} {{ unsigned long long words[16]; }};",
        **{
            _copy_name(axes, im2col, multicast): _copy(axes, im2col, multicast)
            for im2col, ranks in ((False, _ANY_AXES), (True, _IMAGE_AXES))
            for axes in ranks
            for multicast in (False, True)
        },
        **{f"tensor_store_{axes}d": _store(axes) for axes in _ANY_AXES},
        **{f"prefetch_tensor_{axes}d": _prefetch(axes) for axes in _ANY_AXES},
    }


def _function(name: str, parameters: Sequence[str], ptx: str, operands: Sequence[str]) -> str:
    return f"""
__device__ __forceinline__ void {name}({", ".join(parameters)}) {{
  asm volatile("{ptx};"
               :: {", ".join(operands)} : "memory");
}}"""


def _coordinates(axes: int, first: int) -> tuple[list[str], str, list[str]]:
    """Return the parameters of coordinates, their places in the PTX from ``first`` on, and its
    operands.
    """
    parameters = [f"int c{n}" for n in range(axes)]
    places = ", ".join(f"%{first + n}" for n in range(axes))
    return parameters, places, [f'"r"(c{axes - 1 - n})' for n in range(axes)]


def _copy(axes: int, im2col: bool, multicast: bool) -> str:
    coordinates, places, given = _coordinates(axes, 2)
    offsets = range(axes - 2) if im2col else range(0)
    parameters = [
        "void* to",
        f"const {TENSOR_MAP}* map",
        *coordinates,
        *(f"int o{n}" for n in offsets),
        "void* barrier",
    ]
    operands = [
        '"r"(shared_address(to))',
        '"l"(map)',
        *given,
        '"r"(shared_address(barrier))',
        *(f'"h"((unsigned short)o{n})' for n in reversed(offsets)),
    ]
    listed = ", ".join(f"%{3 + axes + n}" for n in offsets)
    ptx = (
        f"cp.async.bulk.tensor.{axes}d.shared::cluster.global.{'im2col' if im2col else 'tile'}"
        f".mbarrier::complete_tx::bytes{'.multicast::cluster' * multicast} "
        f"[%0], [%1, {{{places}}}], [%{2 + axes}]" + f", {{{listed}}}" * im2col
    )
    if multicast:
        parameters.append("int blocks")
        ptx += f", %{len(operands)}"
        operands.append('"h"((unsigned short)blocks)')
    return _function(_copy_name(axes, im2col, multicast), parameters, ptx, operands)


def _store(axes: int) -> str:
    parameters, places, operands = _coordinates(axes, 1)
    return _function(
        f"tensor_store_{axes}d",
        [f"const {TENSOR_MAP}* map", *parameters, "const void* from"],
        f"cp.async.bulk.tensor.{axes}d.global.shared::cta.tile.bulk_group "
        f"[%0, {{{places}}}], [%{1 + axes}]",
        ['"l"(map)', *operands, '"r"(shared_address(from))'],
    )


def _prefetch(axes: int) -> str:
    parameters, places, operands = _coordinates(axes, 1)
    return _function(
        f"prefetch_tensor_{axes}d",
        [f"const {TENSOR_MAP}* map", *parameters],
        f"cp.async.bulk.prefetch.tensor.{axes}d.L2.global.tile [%0, {{{places}}}]",
        ['"l"(map)', *operands],
    )
