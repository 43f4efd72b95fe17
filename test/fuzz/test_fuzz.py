"""The fixed part of the fuzzer, and what the fuzzer itself is made of."""

import os
import random
from pathlib import Path

import onnx
import pytest
from campaigns import Failure, mutated_models, mutated_texts, product_models, small_protos
from child_process import Ending, Stage, run_in_child
from model_mutations import mutate, retype
from onnx import ModelProto, TensorProto
from shrinking import shrink
from small_models import small_models

HERE = Path(__file__).resolve().parent
MODELS = range(24)
PRODUCTS = range(8)
TEXTS = range(120)


def said(failures: list[Failure | None]) -> list[str]:
    return [f"{f.seed} {f.target}: {f.ending}" for f in failures if f]


def test_mutated_models() -> None:
    assert said(list(mutated_models(small_protos(), MODELS))) == []


def test_random_products() -> None:
    assert said(list(product_models(PRODUCTS))) == []


def test_mutated_texts() -> None:
    assert said(list(mutated_texts(HERE.parent, TEXTS))) == []


def _abort(stage: Stage) -> Ending:
    stage("a step")
    os.abort()


def _raise(stage: Stage) -> Ending:
    raise KeyError("missing")


def test_a_crash_names_the_step() -> None:
    assert run_in_child(_abort) == Ending("crash", "SIGABRT in a step")


def test_an_exception_is_an_internal_error() -> None:
    ending = run_in_child(_raise)
    assert (ending.kind, ending.text) == ("internal error", "KeyError: 'missing'")


def test_a_crash_of_the_peer_is_no_fault() -> None:
    def crash(stage: Stage) -> Ending:
        stage("peer: somebody")
        os.abort()

    assert not run_in_child(crash).is_fault


def test_mutations_are_those_of_their_seed() -> None:
    models = small_protos()
    first, again = ([mutate(models[0], random.Random(n)) for n in range(50)] for _ in range(2))
    assert first == again
    assert len(set(first)) > 40


def small(name: str) -> ModelProto:
    (model,) = (m.proto for m in small_models() if m.name == name)
    return model


@pytest.mark.parametrize("seed", range(3))
def test_a_retyped_model_is_valid(seed: int) -> None:
    other = retype(small("attention"), random.Random(seed))
    onnx.checker.check_model(other, full_check=True)
    assert TensorProto.FLOAT not in {t.data_type for t in other.graph.initializer}


def test_a_failure_is_shrunk_to_what_fails() -> None:
    fault = Ending("internal error", "here")

    def check(data: bytes) -> Ending:
        nodes = ModelProto.FromString(data).graph.node
        return fault if any(node.op_type == "Softmax" for node in nodes) else Ending("ok")

    smaller = ModelProto.FromString(shrink(small("attention").SerializeToString(), fault, check))
    assert [node.op_type for node in smaller.graph.node] == ["Softmax"]
