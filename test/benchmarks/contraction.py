"""Checks and times contraction kernels against torch.

``build FOLDER`` compiles the kernels of the cases for a target, without a GPU; ``run FOLDER`` needs
only torch and the driver, and prints one line per kernel: whether it is right, its time and that of
torch, each in a CUDA graph of many launches.

    python test/benchmarks/contraction.py build /tmp/kernels --target sm_90a --cases resnet50
    python test/benchmarks/contraction.py run /tmp/kernels
"""

import argparse
import ctypes
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

LAUNCHES = 50
"""Launches in the graph that is timed."""
MAX_DYNAMIC_SHARED = 8
"""``CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES``."""


@dataclass(frozen=True)
class Case:
    """A contraction: conv (n, h, w, c, o, kernel, stride, groups) or matmul (b, m, n, k, order)."""

    kind: str
    sizes: tuple[int, ...]
    element: str
    schedule: str = ""

    @property
    def name(self) -> str:
        """A file name."""
        return "_".join([self.kind, *map(str, self.sizes), self.element])

    def types(self) -> tuple[list[int], list[int], list[int], str]:
        """Return the shapes of both factors and the result, and the op's text."""
        precision = " precision tf32" if self.element == "tf32" else ""
        if self.kind == "conv":
            n, h, w, c, o, kernel, stride, groups = self.sizes
            pad = kernel // 2
            p, q = ((x + 2 * pad - kernel) // stride + 1 for x in (h, w))
            text = (
                f"graph.conv %a, %b strides [{stride}, {stride}] padding {[pad] * 4} "
                f"dilations [1, 1] groups {groups} layout channels_last weight_layout ohwi"
            )
            shapes = [n, h, w, c], [o, kernel, kernel, c // groups], [n, p, q, o]
            return *shapes, text + precision
        b, m, n, k, order = self.sizes
        batch = [b] if b > 1 else []
        rhs = [*batch, n, k] if order else [*batch, k, n]
        text = "graph.matmul %a, %b" + (" transpose_rhs" if order else "")
        return [*batch, m, k], rhs, [*batch, m, n], text + precision

    def module(self) -> str:
        """Return the text of a module with one group."""
        element = "f32" if self.element == "tf32" else self.element
        lhs, rhs, result, op = self.types()
        x, w, y = (f"tensor<{'x'.join(map(str, s))}x{element}>" for s in (lhs, rhs, result))
        schedule = f"attributes {{schedule = #loop.schedule<{self.schedule}>}}"
        return (
            f"func.func @main(%x: {x}, %w: {w}) -> {y} {{\n"
            f"%y = fused_group.group @g(%x, %w) : ({x}, {w}) -> {y} "
            f"{schedule if self.schedule else ''} {{\n^bb0(%a: {x}, %b: {w}):\n"
            f"%r = {op} : ({x}, {w}) -> {y}\nfused_group.yield %r : {y} }}\nfunc.return %y : {y} }}"
        )


def resnet50(batch: int, element: str) -> Iterator[Case]:
    """Yield the convolutions of ResNet-50 that differ."""

    def conv(size: int, c: int, o: int, kernel: int = 1, stride: int = 1) -> Case:
        return Case("conv", (batch, size, size, c, o, kernel, stride, 1), element)

    yield conv(224, 3, 64, 7, 2)
    for size, c, inner, before in (
        (56, 64, 64, 64),
        (56, 256, 128, 256),
        (28, 512, 256, 512),
        (14, 1024, 512, 1024),
    ):
        stride = 1 if size == 56 and inner == 64 else 2
        yield conv(size, c, inner)
        yield conv(size, inner, inner, 3, stride)
        yield conv(size // stride, inner, 4 * inner)
        yield conv(size, before, 4 * inner, 1, stride)
        yield conv(size // stride, 4 * inner, inner)
        yield conv(size // stride, inner, inner, 3)
    yield Case("matmul", (1, batch, 1000, 2048, 1), element)


def bert(batch: int, element: str) -> Iterator[Case]:
    """Yield the products of BERT-base at 128 tokens."""
    for n, k in ((768, 768), (3072, 768), (768, 3072)):
        yield Case("matmul", (1, 128 * batch, n, k, 1), element)
    yield Case("matmul", (12 * batch, 128, 128, 64, 1), element)
    yield Case("matmul", (12 * batch, 128, 64, 128, 0), element)


def mobilenet_v2(batch: int, element: str) -> Iterator[Case]:
    """Yield the pointwise convolutions of MobileNet-v2 that differ."""
    for size, c, o in (
        (112, 32, 16), (112, 16, 96), (56, 96, 24), (56, 24, 144), (28, 144, 32), (28, 32, 192),
        (14, 192, 64), (14, 64, 384), (14, 384, 96), (14, 96, 576), (7, 576, 160), (7, 160, 960),
        (7, 960, 320), (7, 320, 1280),
    ):  # fmt: skip
        yield Case("conv", (batch, size, size, c, o, 1, 1, 1), element)


def odd(batch: int, element: str) -> Iterator[Case]:
    """Yield shapes that divide by nothing."""
    for m, n, k in (
        (1, 1, 1),
        (1, 1000, 77),
        (3, 5, 7),
        (17, 33, 129),
        (131, 67, 264),
        (128, 70, 96),
    ):
        for order in (0, 1):
            yield Case("matmul", (batch, m, n, k, order), element)
            yield Case("matmul", (batch + 2, m, n, k, order), element)
    yield Case("conv", (batch + 1, 13, 11, 5, 7, 3, 2, 1), element)
    yield Case("conv", (batch, 9, 9, 16, 24, 3, 1, 1), element)
    yield Case("conv", (batch, 14, 14, 128, 128, 3, 1, 32), element)
    yield Case("conv", (batch, 7, 7, 24, 40, 1, 1, 1), element)


CASES: dict[str, Callable[[int, str], Iterator[Case]]] = {
    "resnet50": resnet50,
    "bert": bert,
    "mobilenet_v2": mobilenet_v2,
    "odd": odd,
}


def build(folder: Path, target: str, cases: list[Case]) -> None:
    """Compile the kernels of ``cases`` for ``target`` into ``folder``."""
    from dlc import registry
    from dlc.backends.cuda.cubins import compile_kernels
    from dlc.core.parser import parse_module
    from dlc.dialects.fused_group import GroupOp
    from dlc.dialects.gpu import KernelOp

    folder.mkdir(parents=True, exist_ok=True)
    context = registry.new_context()
    rows: list[dict[str, Any]] = []
    for number, case in enumerate(cases):
        module = parse_module(case.module(), context)
        schedule = case.schedule
        for step in registry.build_passes(
            f"tile{{arch={target}}},lower-to-loop,lower-to-gpu{{arch={target}}}"
        ):
            step.apply(context, module)
            schedule = next(
                (str(o.schedule) for o in module.walk() if isinstance(o, GroupOp)), schedule
            )
        (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
        (compiled,) = compile_kernels(module, target)
        (folder / f"{number}.cubin").write_bytes(compiled.code)
        lhs, rhs, result, _ = case.types()
        rows.append(
            {
                "name": case.name,
                "kind": case.kind,
                "sizes": case.sizes,
                "element": case.element,
                "shapes": [lhs, rhs, result],
                "schedule": schedule,
                "grid": kernel.grid_size,
                "block": kernel.block_size,
                "shared": 0 if kernel.shared_bytes is None else kernel.shared_bytes.value.data,
                "scratch": kernel.scratch_bytes,
                "registers": compiled.resources.registers,
                "spills": compiled.resources.spill_bytes,
            }
        )
        print(case.name, compiled.resources, flush=True)
    (folder / "kernels.json").write_text(json.dumps(rows))


def run(folder: Path) -> None:
    """Check and time the kernels of a folder; prints a table."""
    import torch  # pyright: ignore[reportMissingImports]  (optional)

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    driver = ctypes.CDLL("libcuda.so.1")
    torch.zeros(1, device="cuda")
    wrong = 0
    print(f"{'kernel':44} {'right':>6} {'us':>8} {'torch us':>8}  schedule")
    for number, row in enumerate(json.loads((folder / "kernels.json").read_text())):
        launch, tensors = _prepare(torch, driver, folder / f"{number}.cubin", row)
        x, w, y = tensors
        launch()
        torch.cuda.synchronize()
        is_right, worst = _check(torch, row, x, w, y)
        launch()
        torch.cuda.synchronize()
        again, _ = _check(torch, row, x, w, y)
        is_right = is_right and again
        wrong += not is_right
        torch.backends.cuda.matmul.allow_tf32 = row["element"] == "tf32"
        torch.backends.cudnn.allow_tf32 = row["element"] == "tf32"
        ours = _time(torch, launch)
        theirs = _time(torch, partial(_product, torch, row, x, w))
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        verdict = "yes" if is_right else f"{worst:.2g}"
        schedule = row["schedule"].split("tile = ")[-1].rstrip(">")
        print(f"{row['name']:44} {verdict:>6} {ours:8.2f} {theirs:8.2f}  {schedule}", flush=True)
    print(f"{wrong} wrong")


def _prepare(torch: Any, driver: Any, cubin: Path, row: dict[str, Any]) -> tuple[Any, list[Any]]:
    """Load a kernel and make its buffers; return what launches it, and both factors and the
    result.
    """

    def call(function: str, *arguments: Any) -> None:
        status = getattr(driver, function)(*arguments)
        assert status == 0, f"{function}: {status}"

    dtype = {"f16": torch.float16, "bf16": torch.bfloat16}.get(row["element"], torch.float32)
    tensors = [torch.randn(s, device="cuda").to(dtype) for s in row["shapes"]]
    tensors[2].fill_(float("nan"))
    scratch = [torch.zeros(max(n, 1), dtype=torch.uint8, device="cuda") for n in row["scratch"]]
    image, function = ctypes.c_void_p(), ctypes.c_void_p()
    code = cubin.read_bytes()
    call("cuModuleLoadData", ctypes.byref(image), code)
    call("cuModuleGetFunction", ctypes.byref(function), image, b"g")
    call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, row["shared"])
    pointers = [ctypes.c_uint64(t.data_ptr()) for t in (*tensors, *scratch)]
    parameters = (ctypes.c_void_p * len(pointers))(
        *(ctypes.cast(ctypes.pointer(p), ctypes.c_void_p) for p in pointers)
    )

    def launch() -> None:
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        sizes = (*row["grid"], *row["block"], row["shared"])
        call("cuLaunchKernel", function, *sizes, stream, parameters, None)

    launch.keep = (pointers, parameters, scratch)  # pyright: ignore[reportFunctionMemberAccess]  (so that they live on)
    return launch, tensors


def _product(torch: Any, row: dict[str, Any], x: Any, w: Any) -> Any:
    if row["kind"] == "matmul":
        return torch.matmul(x, w.transpose(-1, -2) if row["sizes"][-1] else w)
    *_, kernel, stride, groups = row["sizes"]
    data, weight = x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2)
    result = torch.nn.functional.conv2d(
        data, weight, stride=stride, padding=kernel // 2, groups=groups
    )
    return result.permute(0, 2, 3, 1)


def _check(torch: Any, row: dict[str, Any], x: Any, w: Any, y: Any) -> tuple[bool, float]:
    """Return whether the result is within the bound of its roundings, and the worst excess.

    Bound: half a unit of the result's type, ``k`` roundings to f32 of the sums, and for tf32 two
    roundings of the factors to 11 bits.
    """
    exact = _product(torch, row, x.double(), w.double())
    sizes = _product(torch, row, x.double().abs(), w.double().abs())
    unit = {"f16": 2.0**-11, "bf16": 2.0**-8}.get(row["element"], 2.0**-24)
    depth = row["shapes"][1][-1]
    if row["kind"] == "conv":
        depth *= row["sizes"][5] ** 2
    elif not row["sizes"][-1]:
        depth = row["shapes"][1][-2]
    factors = 2.0**-10 * 1.01 if row["element"] == "tf32" else 0.0
    bound = unit * exact.abs() + (depth * 2.0**-23 + factors) * sizes + 2.0**-24
    excess = ((y.double() - exact).abs() / bound).max().item()
    return bool(excess <= 1), excess


def _time(torch: Any, launch: Any) -> float:
    """Return the microseconds of one launch in a graph of many."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(LAUNCHES):
            launch()
    times: list[float] = []
    for _ in range(5):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1000 / LAUNCHES)
    return sorted(times)[2]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("build", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--cases", default="resnet50,bert,mobilenet_v2,odd")
    parser.add_argument("--elements", default="f16")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--schedule", default="", help="of all cases; default: tile chooses")
    asked = parser.parse_args()
    if asked.command == "run":
        run(asked.folder)
        return
    found = {
        case.name: Case(case.kind, case.sizes, case.element, asked.schedule)
        for name in asked.cases.split(",")
        for element in asked.elements.split(",")
        for case in CASES[name](asked.batch, element)
    }
    build(asked.folder, asked.target, list(found.values()))


if __name__ == "__main__":
    main()
