"""Counts and times kernels of models that are no products, convolutions or attention: of dlc and
of XLA, by the same profiler.

XLA gets the ONNX model as a function of JAX (``onnx_in_jax.py``), with weights as arguments. Both
run in fp16. Kernels of XLA count as products and convolutions by their names, those of dlc by their
strategy; copies within the device count for both. A kernel's time begins where those before it have
ended: kernels of dlc begin early, and wait. Each model has a process of its own; all of them
prepare at the same time, and are profiled one after the other. Needs PyTorch (exports and the
profiler), JAX and a GPU.

    python test/benchmarks/xla_kernels.py bert_base:64 densenet121:1 --json kernels.json
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

RUNS = 20
PREPARED = "prepared"
WORKLOADS = Path(__file__).with_name("workloads.py")
_LIBRARY = re.compile(
    r"gemm|gemv|cutlass|cudnn|cublas|nvjet|xmma|conv(?!ert)|fmha|flash|attention|splitk|winograd"
    r"|nchwtonhwc|nhwctonchw|sm\d\d_|_dot",
    re.IGNORECASE,
)
Row = dict[str, Any]


def profiled(run: Callable[[], Any], wait: Callable[[], Any]) -> dict[str, tuple[float, float]]:
    """Return the launches and microseconds of each kernel in a run, by name."""
    import torch.profiler as torch  # pyright: ignore[reportMissingImports]  (optional)

    from dlc.scratch import ScratchFolder

    for _ in range(5):
        run()
    wait()
    with torch.profile(activities=[torch.ProfilerActivity.CUDA]) as found:
        for _ in range(RUNS):
            run()
        wait()
    with ScratchFolder("dlc-xla-") as folder:
        path = Path(folder) / "trace.json"
        found.export_chrome_trace(str(path))
        events = json.loads(path.read_text())["traceEvents"]
    rows: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    work = [each for each in events if each.get("cat") in ("kernel", "gpu_memcpy")]
    ended = 0.0
    for event in sorted(work, key=lambda each: each["ts"] + each["dur"]):
        end = event["ts"] + event["dur"]
        count, us = rows[event["name"]]
        rows[event["name"]] = (count + 1 / RUNS, us + (end - max(ended, event["ts"])) / RUNS)
        ended = end
    return dict(rows)


def summary(rows: dict[str, tuple[float, float]], is_product: Callable[[str], bool]) -> Row:
    """Return kernels and microseconds of both kinds, and the kernels that are no products."""
    others = {name: row for name, row in rows.items() if not is_product(name)}
    products = [row for name, row in rows.items() if is_product(name)]
    return {
        "kernels": round(sum(count for count, _ in others.values()), 2),
        "us": sum(us for _, us in others.values()),
        "products": round(sum(count for count, _ in products), 2),
        "products_us": sum(us for _, us in products),
        "names": sorted(([us, count, name[:90]] for name, (count, us) in others.items()))[::-1],
        "product_names": sorted({name[:90] for name in rows if is_product(name)}),
    }


def ours(model: Any, feeds: Sequence[Any]) -> Callable[[], Row]:
    """Return what profiles dlc. Kernels of row and map kind are the others."""
    import torch  # pyright: ignore[reportMissingImports]  (optional)

    kernels = model.report["variants"][0]["kernels"]
    products = {k["name"] for k in kernels if not _is_row_or_map(k)}
    inputs = [torch.from_numpy(x).cuda() for x in feeds]

    def found() -> Row:
        rows = profiled(lambda: model(*inputs), torch.cuda.synchronize)
        return summary(rows, products.__contains__)

    return found


def _is_row_or_map(kernel: Row) -> bool:
    """A depthwise convolution is a map, too, and a convolution all the same."""
    is_convolution = any("conv" in name.split(".")[-1] for name in kernel["operations"])
    return kernel["schedule"]["strategy"] in ("row", "map") and not is_convolution


def _of_attention(text: str) -> set[str]:
    """Return the kernels that compute nothing but attention; text: the optimised HLO."""
    from onnx_in_jax import ATTENTION

    scopes: dict[str, list[str]] = defaultdict(list)
    calls: dict[str, str] = {}
    block = ""
    for line in text.splitlines():
        if line.endswith("{") and (head := re.match(r"(?:ENTRY )?%?([\w.\-]+) ", line)):
            block = head[1]
        if scope := re.search(r'op_name="([^"]*)"', line):
            scopes[block].append(scope[1])
        if call := re.match(r"\s*(?:ROOT )?%?([\w.\-]+) = .* fusion\(.*calls=%?([\w.\-]+)", line):
            calls[call[1]] = call[2]
    return {
        name.replace(".", "_").replace("-", "_")
        for name, each in calls.items()
        if scopes[each] and all(f"/{ATTENTION}/" in scope for scope in scopes[each])
    }


def xla(path: Path, feeds: dict[str, Any]) -> Callable[[], Row]:
    """Compile by XLA, and return what profiles that."""
    import numpy as np
    from onnx_in_jax import jax, jnp, load

    function, weights = load(path, np.float16)
    given = {
        k: jnp.asarray(v, jnp.float16 if v.dtype == np.float32 else None) for k, v in feeds.items()
    }
    compiled = jax.jit(function).lower(weights, given).compile()
    last, attention = [compiled(weights, given)], _of_attention(compiled.as_text())

    def run() -> None:
        last[0] = compiled(weights, given)

    def found() -> Row:
        rows = profiled(run, lambda: jax.block_until_ready(last[0]))
        return summary(rows, lambda name: name in attention or bool(_LIBRARY.search(name)))

    return found


def measure(case: str) -> None:
    """Prepare a case, ``name:batch``; say so, and print the row when a line comes."""
    import dlc
    from dlc.benchmark.torch_source import TorchSource
    from dlc.runtime.random_inputs import random_feeds
    from dlc.scratch import ScratchFolder

    name, _, batch = case.rpartition(":")
    with ScratchFolder("dlc-xla-") as folder:
        path = TorchSource(f"{WORKLOADS}:{name}").export(int(batch), Path(folder))
        model = dlc.compile(path, target="sm_90a", precision="fp16", verify="off")
        feeds = random_feeds(model)
        sides = {"dlc": ours(model, list(feeds.values())), "xla": xla(path, feeds)}
        print(PREPARED, flush=True)
        sys.stdin.readline()
        print(json.dumps({"case": case} | {side: found() for side, found in sides.items()}))


class Child:
    """A process that prepares a case."""

    def __init__(self, case: str):
        self.case = case
        # kernels, not graphs of them; the memory is for all processes
        flags = {"XLA_FLAGS": "--xla_gpu_enable_command_buffer="}
        flags["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
        pipe = subprocess.PIPE
        command = [sys.executable, __file__, case, "--one"]
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=os.environ | flags
        )
        assert self._process.stdout is not None
        self._output = self._process.stdout

    def wait(self) -> None:
        """Wait until it is prepared, or has ended."""
        for line in self._output:
            if line.strip() == PREPARED:
                return

    def row(self) -> Row | None:
        """Return what it measures now; where it failed, say why and return nothing."""
        said, errors = self._process.communicate("\n")
        if self._process.returncode:
            print(self.case, "failed:", errors.strip().splitlines()[-1][:200])
            return None
        return json.loads(said.splitlines()[-1])


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Kernels of dlc and of XLA.")
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        measure(given.cases[0])
    else:
        run(given.cases, given.json)


def run(cases: Sequence[str], to: Path | None) -> None:
    """Measure the cases and print a table; to: the file for all that was found."""
    children = [Child(case) for case in cases]
    for child in children:
        child.wait()
    rows = [row for child in children if (row := child.row()) is not None]
    if to:
        to.write_text(json.dumps(rows))
    print(f"{'':18}{'kernels':>16}{'us':>18}   (no products: dlc, XLA)")
    for row in rows:
        a, b = row["dlc"], row["xla"]
        print(
            f"{row['case']:18}{a['kernels']:8.0f}{b['kernels']:8.0f}{a['us']:9.1f}{b['us']:9.1f}"
            f"   {a['kernels'] / b['kernels']:.2f} of the kernels, {b['us'] / a['us']:.2f} x"
        )
    print(f"{geometric_mean(r['xla']['us'] / r['dlc']['us'] for r in rows):.2f} x")


if __name__ == "__main__":
    main()
