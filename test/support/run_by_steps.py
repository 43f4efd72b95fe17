"""An artifact that the emulator has run, again on the same inputs, step by step."""

import subprocess
import sys

from dlc.emulator.model import EmulatedModel

_TEXT = r"""
import ctypes, sys
from pathlib import Path
import numpy as np
from dlc.emulator import process
from dlc.runtime.library import Library

folder = Path(sys.argv[1])
job = process.Job.read(folder)
driver = process._Driver(job, folder)
cuda = driver._library
library = Library(Path(job.artifact))
handle = process.create(job, library, folder)

def buffer(data):
    place, stream = ctypes.c_uint64(), ctypes.c_void_p()
    count = ctypes.c_size_t(len(data))
    cuda.cuStreamCreate(ctypes.byref(stream), 1)
    cuda.cuMemAlloc_v2(ctypes.byref(place), count)
    cuda.cuMemcpyHtoDAsync_v2(place, data, count, stream)
    cuda.cuStreamSynchronize(stream)
    return place.value

def pointers(values):
    return (ctypes.c_void_p * len(values))(*values)

file = lambda kind, i: process.array_file(folder, kind, i).read_bytes()
wanted = [file("output", i) for i in range(len(library.outputs))]
inputs = pointers([buffer(file("input", i)) for i in range(len(library.inputs))])
places = [buffer(bytes(len(x))) for x in wanted]
stream = ctypes.c_void_p()
cuda.cuStreamCreate(ctypes.byref(stream), 1)
api = library.api
for step in range(api.step_count(handle)):
    library.check(api.run_steps(handle, step, step + 1, stream, None, inputs, pointers(places)))
for place, data in zip(places, wanted, strict=True):
    got = ctypes.create_string_buffer(len(data))
    cuda.cuMemcpyDtoHAsync_v2(got, ctypes.c_uint64(place), ctypes.c_size_t(len(data)), stream)
    cuda.cuStreamSynchronize(stream)
    assert got.raw == data
print(api.step_count(handle), api.variant(handle))
api.destroy(handle)
"""


def run_by_steps(model: EmulatedModel) -> str:
    """Check that the steps give what the run gave; return how many there are, and the variant."""
    command = [sys.executable, "-c", _TEXT, str(model._path)]  # pyright: ignore[reportPrivateUsage]  (the files of the run)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
