"""A hand-written artifact of one kernel, as small as one can be."""

import json
from pathlib import Path

import numpy as np

from dlc.backends.host.cpu import print_cpu_program
from dlc.backends.host.link import link_cpu
from dlc.backends.host.program import Address, Copy, HostProgram, Launch, Tensor
from dlc.core.c_compiler import Source
from dlc.runtime.packing import WeightFile, payload_identity, write_artifact

SCALE_AND_ADD = """
#include "threads.h"

static void share(void *captured, int64_t first, int64_t end) {
  void *const *operands = captured;
  const float *x = operands[0], *weight = operands[1];
  float *y = operands[2], *scratch = operands[3];
  for (int i = first; i < end; i++) {
    scratch[i] = 2 * x[i];
    y[i] = scratch[i] + weight[i];
  }
}

void g0(void *const *operands) { dlc_spread(share, (void *)operands, 6); }
"""
COUNT_THREADS = """
#include "threads.h"

void g0(void *const *operands) {
  float *y = operands[2];
  for (int i = 0; i < 6; i++) y[i] = dlc_team_threads();
}
"""
WEIGHT = np.arange(6, dtype=np.float32) * 10
REPORT = {
    "target": "cpu",
    "precision": "fp32",
    "weights_bytes": 24,
    "variants": [
        {
            "target": "cpu",
            "launches": 1,
            "workspace_bytes": 256,
            "steps": [{"kernel": "g0", "nodes": ["scale", "add"]}, {"output": "x again"}],
            "kernels": [{"name": "g0", "launches": 1, "operations": ["graph.mul", "graph.add"]}],
        }
    ],
}


def build(
    path: Path,
    weights_beside: bool = False,
    factor: int = 1,
    note: str = "",
    kernel: str = SCALE_AND_ADD,
) -> Path:
    """Write a model with the outputs 2 x + weight, and x itself.

    note: something in its report. kernel: other code for the first output.
    """
    x = Tensor('x "in"??/', "float32", (2, 3), 24)
    outputs = (Tensor("y", "float32", (6,), 24), Tensor("x again", "float32", (2, 3), 24))
    with WeightFile() as weights:
        assert weights.add(np.zeros(1, np.int8)) == 0
        offset = weights.add(WEIGHT * factor)
        assert weights.add(WEIGHT * factor) == offset == 256
        at = (Address("input"), Address("weight", offset), Address("output"))
        program = HostProgram(
            (x,),
            outputs,
            (Launch("g0", "g0", (*at, Address("workspace", 0))),),
            (Copy(Address("output", buffer=1), Address("input"), 24),),
            256,
        )
        library = path.with_suffix(".library")
        kernels = [Source("g0.c", kernel, ("-O2",))]
        identity = payload_identity(weights)
        link_cpu(print_cpu_program(program, []), kernels, identity, 1, library)
        write_artifact(
            path,
            library,
            weights,
            json.dumps(REPORT | {"note": note}).encode(),
            weights_beside=weights_beside,
        )
        library.unlink()
    return path


X = np.arange(6, dtype=np.float32).reshape(2, 3)
