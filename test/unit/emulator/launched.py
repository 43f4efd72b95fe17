"""Launches kernels of CUDA text on the stand-in driver, in a process of its own."""

import ctypes
import faulthandler
import json
import os
import signal
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dlc.analysis.map_parameters import map_parameters
from dlc.backends.cuda.prelude import prelude_for
from dlc.backends.cuda.printer import cuda_text
from dlc.backends.host.tensor_map import DriverMap, driver_map
from dlc.dialects.gpu import KernelOp
from dlc.emulator.build import DRIVER, KERNELS, Image, build_driver, build_kernels
from dlc.emulator.translation import Buffer, Kernel
from dlc.tuning.kernel_arguments import KernelArguments

HEAD = 'extern "C" __global__ void __launch_bounds__(%d) k(%s) {\n%s\n}\n'
PROGRAMMATIC = (1, 0, 1)
"""An edge from the programmatic port of a kernel, and of that type."""
CODE = b"any bytes can be the machine code"


SECONDS = 100


class LaunchError(Exception):
    """The line with which the process ended."""


@dataclass(frozen=True)
class Case:
    """A kernel ``k(x, y)``: one input, one output. body: its statements; element: the C type of
    both. shared: bytes of shared memory. maps: the tensor maps that follow. spare: bytes behind
    the output, in its allocation. early: each launch waits itself for the one before it. part: of
    ``Buffer``, of the output.
    """

    body: str
    element: str = "float"
    threads: int = 32
    grid: tuple[int, int, int] = (1, 1, 1)
    shared: int = 0
    spare: int = 0
    launches: int = 1
    maps: tuple[DriverMap, ...] = ()
    edges: bool = True
    early: bool = False
    part: tuple[int, int, int] = (0, 0, 0)

    @property
    def text(self) -> str:
        """The translation unit."""
        declared = "extern __shared__ __align__(1024) unsigned char shared_memory[];\n"
        body = (declared if self.shared else "") + self.body
        parameters = f"const {self.element}* __restrict__ x, {self.element}* __restrict__ y"
        text = HEAD % (self.threads, parameters, body)
        return prelude_for(text) + "\n" + text


@dataclass(frozen=True)
class Printed(Case):
    """A kernel of the ``gpu`` level, as it is printed."""

    printed: str = ""

    @property
    def text(self) -> str:
        return self.printed


def printed(kernel: KernelOp, element: str) -> Printed:
    """Return the case of a kernel."""
    shared = 0 if kernel.shared_bytes is None else kernel.shared_bytes.value.data
    maps = tuple(map(driver_map, map_parameters(kernel)))
    one = Case("", element, kernel.threads, kernel.grid_size, shared, maps=maps)
    return Printed(**vars(one), printed=cuda_text([kernel]))


def launch(case: Case, x: np.ndarray, y: np.ndarray, folder: Path, jobs: int = 1) -> np.ndarray:
    """Return what the kernel writes; y: an array of the size of the output. Raises LaunchError."""
    floats = x.dtype.itemsize if y.dtype.kind == "f" else 0
    output = Buffer(y.nbytes, "written", floats, part=case.part)
    buffers = (Buffer(x.nbytes, "read", 0), output)
    image = Image(CODE, case.text, (Kernel("k", buffers, tuple(map.operand for map in case.maps)),))
    build_driver(jobs, folder)
    build_kernels([image], jobs, folder)
    x.tofile(folder / "x")
    facts: dict[str, Any] = {
        "symbol": image.symbol,
        "bytes": y.nbytes,
        "threads": case.threads,
        "jobs": jobs,
    }
    facts |= {"grid": case.grid, "shared": case.shared, "launches": case.launches}
    facts["maps"] = list(map(asdict, case.maps))
    facts |= {"spare": case.spare, "edges": case.edges, "early": case.early}
    (folder / "facts").write_text(json.dumps(facts))
    _run_in_child(folder)
    return np.fromfile(folder / "y", y.dtype).reshape(y.shape)


def _run_in_child(folder: Path) -> None:
    """Run the launches in a fork of this process, which has everything imported."""
    said = folder / "said"
    child = os.fork()
    if child == 0:
        _be_child(folder, said)
    _, status = os.waitpid(child, 0)
    if status != 0:
        lines = said.read_text().strip().splitlines()
        raise LaunchError(lines[-1] if lines else f"the process ended with status {status}")


def _be_child(folder: Path, said: Path) -> None:
    """Run the launches, and never return; what is said on standard error goes to a file."""
    try:
        faulthandler.disable()
        signal.alarm(SECONDS)
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT), 2)
        _run(folder)
        os._exit(0)
    except SystemExit as stop:
        os.write(2, f"{stop}\n".encode())
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(1)


class _Node(ctypes.Structure):
    _fields_ = (
        ("function", ctypes.c_void_p),
        ("sizes", ctypes.c_uint * 7),
        ("parameters", ctypes.c_void_p),
        ("extra", ctypes.c_void_p),
    )


class _Driver:
    def __init__(self, folder: Path, facts: dict[str, Any]):
        self.library = ctypes.CDLL(str(folder / DRIVER), mode=ctypes.RTLD_GLOBAL)
        self.kernels = ctypes.CDLL(str(folder / KERNELS))
        self.library.emulator_start(9, 0, 227 << 10, facts["jobs"])
        emulated = ctypes.byref(ctypes.c_char.in_dll(self.kernels, facts["symbol"]))
        self.library.emulator_add_image(CODE, ctypes.c_size_t(len(CODE)), emulated)

    def call(self, name: str, *arguments: Any) -> None:
        status = getattr(self.library, name)(*arguments)
        if status:
            sys.exit(f"{name}: {status}")

    def made(self, name: str, *arguments: Any) -> ctypes.c_uint64:
        handle = ctypes.c_uint64()
        self.call(name, ctypes.byref(handle), *arguments)
        return handle

    def memory(self, count: int) -> ctypes.c_uint64:
        return self.made("cuMemAlloc_v2", ctypes.c_size_t(count))


def _run(folder: Path) -> None:
    """Run a chain of launches: each but the first reads what the one before wrote."""
    facts = json.loads((folder / "facts").read_text())
    driver = _Driver(folder, facts)
    x = (folder / "x").read_bytes()
    count = facts["launches"]
    size = facts["bytes"] + facts["spare"]
    buffers = [driver.memory(len(x)), *(driver.memory(size) for _ in range(count))]
    stream = driver.made("cuStreamCreate", 1)
    driver.call("cuMemcpyHtoDAsync_v2", buffers[0], x, ctypes.c_size_t(len(x)), stream)
    module = driver.made("cuModuleLoadData", CODE)
    function = driver.made("cuModuleGetFunction", module, b"k")
    driver.call("cuFuncSetAttribute", function, 8, facts["shared"])
    graph = driver.made("cuGraphCreate", 0)
    before: list[ctypes.c_uint64] = []
    for number in range(count):
        pair = [buffers[number].value or 0, buffers[number + 1].value or 0]
        given = KernelArguments(driver.call, pair, [DriverMap(**map) for map in facts["maps"]])
        sizes = (ctypes.c_uint * 7)(*facts["grid"], facts["threads"], 1, 1, facts["shared"])
        node = _Node(function.value, sizes, ctypes.addressof(given.parameters), None)
        after = (ctypes.c_uint64 * 1)(*(b.value for b in before))
        edges = ctypes.c_size_t(0 if facts["early"] else len(before))
        made = driver.made("cuGraphAddKernelNode", graph, after, edges, ctypes.byref(node))
        if facts["early"]:
            data, one = (ctypes.c_ubyte * 8)(*PROGRAMMATIC), ctypes.c_size_t(len(before))
            to = ctypes.byref(made)
            driver.call("cuGraphAddDependencies_v2", graph, after, to, ctypes.byref(data), one)
        before = [made]
        before = before if facts["edges"] else []
    executable = driver.made("cuGraphInstantiateWithFlags", graph, ctypes.c_uint64(0))
    driver.call("cuGraphLaunch", executable, stream)
    y = ctypes.create_string_buffer(facts["bytes"])
    driver.call("cuMemcpyDtoHAsync_v2", y, buffers[-1], ctypes.c_size_t(facts["bytes"]), stream)
    driver.call("cuStreamSynchronize", stream)
    (folder / "y").write_bytes(y.raw)
