r"""Makes profiles of a small network by other systems, which ``dlc-analyze --profile`` reads.

The network has a convolution with normalisation and activation, pooling, two branches that are
joined, a sum, a product and a softmax; its ONNX file and its PyTorch module do the same. A second
one has residual blocks, whose sums ONNX Runtime makes part of convolutions. Each
command needs only the package that it names. Files go to FOLDER.

    python test/benchmarks/profiles.py model FOLDER               # both networks; needs onnx
    python test/benchmarks/profiles.py onnxruntime FOLDER         # needs onnxruntime
    python test/benchmarks/profiles.py torch FOLDER               # needs torch; on the GPU if any
    ncu --csv --metrics gpu__time_duration.sum --profile-from-start off \
        python test/benchmarks/profiles.py once > FOLDER/ncu.csv  # needs torch, a GPU, ncu
        # --cache-control none --clock-control none: as warm and fast as in a run
    ncu --csv --page raw ...                                      # the wide form of the same
    python test/benchmarks/profiles.py clean FOLDER               # what ncu printed, for test/data

``--half`` runs PyTorch in fp16, in which products use tensor cores.
"""

import argparse
import gzip
import json
import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from machine_texts import clean_table, clean_trace

STEPS = 4
CHANNELS = 16
SIZE = 64
CLASSES = 10
_WIDE = 2 * CHANNELS
NODES = f"""<ir_version: 8, opset_import: ["": 17]>
branches (float[1, 3, {SIZE}, {SIZE}] x) => (float[1, {CLASSES}] y) {{
 [stem_conv] a = Conv<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(x, stem_w, stem_b)
 [stem_norm] b = BatchNormalization(a, scale, shift, mean_known, variance)
 [stem_relu] c = Relu(b)
 [pool] d = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(c)
 [left_conv] e = Conv<kernel_shape = [1, 1]>(d, left_w, left_b)
 [left_relu] f = Relu(e)
 [right_conv] g = Conv<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(d, right_w, right_b)
 [right_relu] h = Relu(g)
 [join] i = Concat<axis = 1>(f, h)
 [twice] j = Add(i, i)
 [mean] k = GlobalAveragePool(j)
 [flat] l = Flatten(k)
 [head] m = Gemm<transB = 1>(l, head_w, head_b)
 [chances] y = Softmax<axis = 1>(m)
}}"""
WEIGHTS = {
    "stem_w": (CHANNELS, 3, 3, 3),
    **dict.fromkeys(("stem_b", "scale", "shift", "mean_known", "variance"), (CHANNELS,)),
    "left_w": (CHANNELS, CHANNELS, 1, 1),
    "left_b": (CHANNELS,),
    "right_w": (CHANNELS, CHANNELS, 3, 3),
    "right_b": (CHANNELS,),
    "head_w": (CLASSES, _WIDE),
    "head_b": (CLASSES,),
}
RESIDUAL = f"""<ir_version: 8, opset_import: ["": 17]>
residual (float[1, {CHANNELS}, 14, 14] x) => (float[1, {CHANNELS}, 14, 14] y) {{
 [stem] a = Conv<kernel_shape = [1, 1]>(x, stem_w)
 [stem_relu] b = Relu(a)
 [side] c = Conv<kernel_shape = [1, 1]>(b, side_w)
 [conv1] d = Conv<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(b, w1)
 [add1] e = Add(d, c)
 [relu1] f = Relu(e)
 [conv2] g = Conv<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(f, w2)
 [add2] h = Add(f, g)
 [relu2] i = Relu(h)
 [conv3] j = Conv<kernel_shape = [3, 3], pads = [1, 1, 1, 1]>(i, w3)
 [add3] k = Add(i, j)
 [relu3] y = Relu(k)
}}"""
RESIDUAL_WEIGHTS = {
    **dict.fromkeys(("stem_w", "side_w"), (CHANNELS, CHANNELS, 1, 1)),
    **dict.fromkeys(("w1", "w2", "w3"), (CHANNELS, CHANNELS, 3, 3)),
}


def write_models(folder: Path) -> tuple[Path, Path]:
    """Write the networks as ONNX files; return their places."""
    residual = _write(folder / "residual.onnx", RESIDUAL, RESIDUAL_WEIGHTS)
    return _write(folder / "model.onnx", NODES, WEIGHTS), residual


def _write(path: Path, nodes: str, weights: Mapping[str, tuple[int, ...]]) -> Path:
    """Write a network with weights from 0.1 to 1; return its place."""
    import numpy as np
    import onnx

    model = onnx.parser.parse_model(nodes)
    for name, sizes in weights.items():
        array = np.linspace(0.1, 1, int(np.prod(sizes)), dtype=np.float32).reshape(sizes)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    onnx.save(model, path)
    return path


def run_onnxruntime(folder: Path) -> None:
    """Profile runs with all optimisations of ONNX Runtime, and with none, on its first provider."""
    path, residual = write_models(folder)
    _profile(path, folder / "onnxruntime-all.json.gz", "ORT_ENABLE_ALL")
    _profile(path, folder / "onnxruntime-none.json.gz", "ORT_DISABLE_ALL")
    _profile(residual, folder / "onnxruntime-residual.json.gz", "ORT_ENABLE_ALL")


def _profile(path: Path, to: Path, level: str) -> None:
    """Profile runs of a network with one input."""
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(to)
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    providers = onnxruntime.get_available_providers()
    known = [x for x in providers if x in ("CUDAExecutionProvider", "CPUExecutionProvider")]
    session = onnxruntime.InferenceSession(path, options, providers=known)
    (given,) = session.get_inputs()
    for _ in range(STEPS):
        session.run(None, {given.name: np.ones(given.shape, dtype=np.float32)})
    written = Path(session.end_profiling())
    _compress(json.loads(written.read_text()), to)
    written.unlink()


def network(half: bool) -> tuple[Any, Any]:
    """Return the network as a PyTorch function, and its argument, on the GPU if there is one."""
    torch = import_module("torch")
    nn, functional = torch.nn, torch.nn.functional
    device = "cuda" if torch.cuda.is_available() else "cpu"
    parts = nn.ModuleDict(
        {
            "stem": nn.Conv2d(3, CHANNELS, 3, padding=1),
            "norm": nn.BatchNorm2d(CHANNELS),
            "left": nn.Conv2d(CHANNELS, CHANNELS, 1),
            "right": nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1),
            "head": nn.Linear(_WIDE, CLASSES),
        }
    )
    dtype = torch.float16 if half else torch.float32
    parts = parts.eval().to(device, dtype)

    def run(x: Any) -> Any:
        pooled = functional.max_pool2d(torch.relu(parts["norm"](parts["stem"](x))), 2)
        branches = [torch.relu(parts[name](pooled)) for name in ("left", "right")]
        joined = torch.cat(branches, 1)
        mean = functional.adaptive_avg_pool2d(joined + joined, 1)
        return torch.softmax(parts["head"](mean.flatten(1)), 1)

    return run, torch.ones(1, 3, SIZE, SIZE, device=device, dtype=dtype)


def run_torch(folder: Path, half: bool) -> None:
    """Profile steps by ``torch.profiler``; write the trace."""
    torch = import_module("torch")
    profiler = import_module("torch.profiler")
    run, x = network(half)
    on_gpu = torch.cuda.is_available()
    kinds = profiler.ProfilerActivity
    activities = [kinds.CPU, *([kinds.CUDA] if on_gpu else [])]
    with torch.no_grad():
        run(x)
        plan = profiler.schedule(wait=1, warmup=1, active=STEPS, repeat=1)
        with profiler.profile(activities=activities, schedule=plan, record_shapes=True) as found:
            for _ in range(STEPS + 2):
                run(x)
                if on_gpu:
                    torch.cuda.synchronize()
                found.step()
    written = folder / "trace.json"
    found.export_chrome_trace(str(written))
    data = json.loads(written.read_text())
    written.unlink()
    name = f"torch-{'cuda' if on_gpu else 'cpu'}{'-half' if half else ''}"
    _compress(clean_trace(data), folder / f"{name}.json.gz")


def run_once(half: bool) -> None:
    """Run the network once between the marks that ``ncu --profile-from-start off`` waits for."""
    torch = import_module("torch")
    run, x = network(half)
    with torch.no_grad():
        run(x)
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStart()
        run(x)
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStop()


def clean(folder: Path) -> None:
    """Write the tables of a folder without what is of the machine, as compressed files beside."""
    for path in sorted(folder.glob("*.csv")):
        _compress(clean_table(path.read_text()), path.with_suffix(".csv.gz"))


def _compress(data: Any, path: Path) -> None:
    text = data if isinstance(data, str) else json.dumps(data)
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(text.encode())
    print(f"{path}: {os.path.getsize(path)} bytes")


def main() -> None:
    """Run the command that is given."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("command", choices=("model", "onnxruntime", "torch", "once", "clean"))
    parser.add_argument("folder", type=Path, nargs="?", default=Path())
    parser.add_argument("--half", action="store_true", help="PyTorch in fp16")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    match given.command:
        case "model":
            print(*write_models(given.folder), sep="\n")
        case "onnxruntime":
            run_onnxruntime(given.folder)
        case "torch":
            run_torch(given.folder, given.half)
        case "clean":
            clean(given.folder)
        case _:
            run_once(given.half)


if __name__ == "__main__":
    main()
