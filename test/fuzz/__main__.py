"""``python test/fuzz``: tries inputs that nobody wrote, and keeps those that fail.

python test/fuzz models 0 1000 --to FOLDER    mutated models: the bytes and all parts of a model
python test/fuzz graphs 0 1000 --to FOLDER    models that mean something, against ONNX Runtime
python test/fuzz products 0 1000 --to FOLDER  the same of products, of bytes and floats
python test/fuzz texts 0 1000 --to FOLDER     mutated texts of the IR, for dlc-opt

The numbers are seeds, from and up to. What fails is shrunk and written to the folder, one file for
each fault, with a line in its README.md that says what happened and how to see it again.
"""

import argparse
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]
os.environ["DLC_CACHE_GB"] = "0"

from campaigns import (  # noqa: E402  (the path is set above)
    Failure,
    check_bytes,
    meaningful_models,
    mutated_models,
    mutated_texts,
    node_models,
    product_models,
    small_protos,
)
from shrinking import shrink  # noqa: E402  (as above)


def main() -> int:
    """Run the cases; return 1 if one failed."""
    parser = argparse.ArgumentParser("python test/fuzz")
    parser.add_argument("kind", choices=("models", "graphs", "products", "texts"))
    parser.add_argument("first", type=int)
    parser.add_argument("end", type=int)
    parser.add_argument("--to", type=Path, default=Path("build/fuzz"), help="where failures go")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    given = parser.parse_args()
    start, tried = time.monotonic(), 0
    seen: Counter[tuple[str, str]] = Counter()
    for failure in _cases(given.kind, range(given.first, given.end)):
        tried += 1
        if failure is not None:
            key = (failure.ending.kind, failure.ending.place)
            seen[key] += 1
            if seen[key] == 1:
                _keep(failure, given.kind, given.to)
        if time.monotonic() - start > given.seconds:
            break
    print(f"{tried} cases, {sum(seen.values())} failed")
    for (kind, place), count in seen.most_common():
        print(f"{count:5} {kind} {place}")
    return min(1, len(seen))


def _cases(kind: str, seeds: range) -> Iterator[Failure | None]:
    if kind == "texts":
        return mutated_texts(HERE.parent, seeds)
    if kind == "products":
        return product_models(seeds)
    models = [*node_models(), *small_protos()]
    return (mutated_models if kind == "models" else meaningful_models)(models, seeds)


def _keep(failure: Failure, kind: str, folder: Path) -> None:
    """Write the smallest input that fails like this one, and how to see it again."""
    folder.mkdir(parents=True, exist_ok=True)
    data, ending = failure.data, failure.ending
    path = folder / f"{_slug(ending.kind)}-{failure.seed}.{'mlir' if kind == 'texts' else 'onnx'}"
    if kind == "texts":
        how = f"dlc-opt {' '.join(failure.flags)} {path.name}"
    else:
        data = shrink(data, ending, lambda smaller: check_bytes(smaller, failure.target))
        how = f"dlc-compile {path.name} --target {failure.target} -o /tmp/model.so"
    path.write_bytes(data)
    said = " ".join(f"{ending.kind}: {ending.place} {ending.text}".split())[:300]
    line = f"* `{how}` (seed {failure.seed} of {kind}): {said}"
    with (folder / "README.md").open("a") as file:
        file.write(line + "\n")
    print(line, flush=True)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z]+", "-", text.lower())


if __name__ == "__main__":
    sys.exit(main())
