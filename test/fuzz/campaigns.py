"""What the fuzzer tries: mutated models, models that mean something, texts of the IR."""

import random
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx
from child_process import Ending, run_in_child
from model_case import check_case
from model_mutations import mutate, retype
from onnx import ModelProto
from onnx.backend.test.loader import load_model_tests
from random_models import random_model
from random_products import random_products
from small_models import small_models
from text_case import TextCase, check_text, mutate_text, text_seeds

LARGEST_BYTES = 200_000
"""Of a model that is mutated: what is slow to compile finds little in a given time."""
SIMULATED = 8
"""One of so many models is compiled for a GPU that is not there."""
GPU = "sm_90a"


@dataclass(frozen=True)
class Failure:
    """A case that failed. data: the bytes of its model or text; flags: those of ``dlc-opt``."""

    seed: int
    ending: Ending
    data: bytes
    target: str = "cpu"
    flags: Sequence[str] = ()


def node_models() -> list[ModelProto]:
    """Return the models of ONNX's own tests of single operators."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numpy, about the values of the tests
        cases = load_model_tests(kind="node")
    models = [case.model for case in cases if isinstance(case.model, ModelProto)]
    return [model for model in models if model.ByteSize() < LARGEST_BYTES]


def small_protos() -> list[ModelProto]:
    """Return the small models."""
    return [model.proto for model in small_models()]


def target_of(seed: int) -> str:
    """Return the target for which the model of a seed is compiled."""
    return GPU if seed % SIMULATED == SIMULATED - 1 else "cpu"


def check_bytes(data: bytes, target: str) -> Ending:
    """Return how a compile of a model in a child process ends."""
    return run_in_child(lambda stage: check_case(data, target, stage))


def mutated_models(models: Sequence[ModelProto], seeds: range) -> Iterator[Failure | None]:
    """Try a changed model for each seed; yield a failure or ``None``."""
    for seed in seeds:
        r = random.Random(seed)
        yield _tried(seed, mutate(r.choice(models), r))


def meaningful_models(models: Sequence[ModelProto], seeds: range) -> Iterator[Failure | None]:
    """Try random graphs, and operators on other types of floats."""
    for seed in seeds:
        r = random.Random(seed)
        model = random_model(seed) if seed % 2 else retype(r.choice(models), r)
        yield _tried(seed, model.SerializeToString())


def product_models(seeds: range) -> Iterator[Failure | None]:
    """Try random products; to refuse one is a failure, too."""
    for seed in seeds:
        data = random_products(seed).SerializeToString()
        ending = check_bytes(data, target_of(seed))
        failed = ending.is_fault or ending.kind == "refused"
        yield Failure(seed, ending, data, target_of(seed)) if failed else None


def _tried(seed: int, data: bytes) -> Failure | None:
    ending = check_bytes(data, target_of(seed))
    return Failure(seed, ending, data, target_of(seed)) if ending.is_fault else None


def mutated_texts(folder: Path, seeds: range) -> Iterator[Failure | None]:
    """Try a changed text of the repository's tests for each seed."""
    texts = list(text_seeds(folder))
    for seed in seeds:
        r = random.Random(seed)
        case = mutate_text(r.choice(texts), r)
        ending = run_text(case)
        failed = ending.is_fault
        yield Failure(seed, ending, case.text.encode(), "", case.flags) if failed else None


def run_text(case: TextCase) -> Ending:
    """Return how ``dlc-opt`` in a child process ends."""
    return run_in_child(lambda stage: check_text(case, stage))


def text_of(model: bytes) -> str:
    """Return a model as text, to be looked at."""
    return onnx.printer.to_text(ModelProto.FromString(model))
