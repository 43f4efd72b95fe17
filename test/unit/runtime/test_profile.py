"""How long each step of a run takes, and the trace that says so."""

import ctypes
import json

import numpy as np
import pytest
from small_artifact import WEIGHT, X, build

from dlc.errors import ArtifactError
from dlc.runtime.model import Model
from dlc.runtime.profile import Profile, profile
from dlc.runtime.timing import Times
from dlc.runtime.trace import chrome_trace, step_name


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return Model(build(tmp_path_factory.mktemp("profile") / "model.so"))


def test_a_run_can_be_made_step_by_step(model: Model) -> None:
    y, again = np.zeros(6, np.float32), np.zeros((2, 3), np.float32)
    run = model.step_runner([X.ctypes.data], [y.ctypes.data, again.ctypes.data])
    run(0, 0)
    assert not y.any()
    run(0, 1)
    np.testing.assert_array_equal(y, 2 * X.ravel() + WEIGHT)
    assert not again.any()
    run(1, 2)
    np.testing.assert_array_equal(again, X)


@pytest.mark.parametrize(("first", "end"), [(0, 3), (2, 1)])
def test_steps_that_there_are_not(model: Model, first: int, end: int) -> None:
    y = np.zeros(6, np.float32)
    run = model.step_runner([X.ctypes.data], [y.ctypes.data, y.ctypes.data])
    message = f"run_steps: there are no steps {first} to {end}; a run has 2"
    with pytest.raises(ArtifactError, match=message):
        run(first, end)


def test_null_pointers_are_refused(model: Model) -> None:
    with pytest.raises(ArtifactError, match="run: output 1 is null"):
        model.step_runner([X.ctypes.data], [X.ctypes.data, 0])(0, 1)


def test_every_step_has_a_positive_time(model: Model) -> None:
    feeds = {info.name: X for info in model.inputs}
    found = profile(model, feeds, seconds=0.02)
    assert len(found.steps) == len(model.steps()) == 2
    assert min(found.steps) > 0
    assert len(found.run.seconds) >= 5
    assert found.looking >= 0


def trace_of(names: list[str]) -> str:
    """Return the trace of two launches of one kernel and a copy of 1, 2 and 4 us."""
    rows = {"name": "g0", "operations": ["graph.add"], "bound": {"time_us": 0.5}}
    report = {"target": "cpu", "precision": "fp32", "variants": [{"kernels": [rows]}]}
    launch = {"kernel": "g0", "nodes": names}
    steps = [launch, {"kernel": "g0", "nodes": []}, {"output": "y"}]
    found = Profile([1e-6, 2e-6, 4e-6], Times((8e-6,)), Times((8e-6,)), 0.0)
    return chrome_trace(report, steps, found)


def test_the_trace_has_what_the_format_asks_for() -> None:
    trace = json.loads(trace_of(["a", "b"]), parse_constant=pytest.fail)
    named = [event for event in trace["traceEvents"] if event["ph"] == "M"]
    assert [event["name"] for event in named] == ["process_name", "thread_name"]
    assert named[0]["args"] == {"name": "dlc cpu fp32"}
    shown = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    for event in shown:
        assert {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"} == set(event)
    assert [event["name"] for event in shown] == ["a + b", "g0", "copy to y"]
    assert [event["cat"] for event in shown] == ["kernel", "kernel", "copy"]
    assert [event["dur"] for event in shown] == pytest.approx([1, 2, 4])
    assert [event["ts"] for event in shown] == pytest.approx([0, 1, 3])
    assert shown[0]["args"] == {
        "kernel": "g0",
        "nodes": ["a", "b"],
        "operations": ["graph.add"],
        "bound": {"time_us": 0.5},
    }
    assert trace["otherData"]["run_us"] == pytest.approx(8)
    assert trace["otherData"]["steps_us"] == pytest.approx(7)


def test_names_of_a_model_are_data_in_a_trace() -> None:
    name = 'a"],\n\x1b[31m</script>\u2028\ud800'
    text = trace_of([name])
    assert text.isascii()
    assert text.removesuffix("\n").isprintable()
    shown = [event for event in json.loads(text)["traceEvents"] if event["ph"] == "X"]
    assert shown[0]["name"] == shown[0]["args"]["nodes"][0] == name


def test_a_step_is_called_what_its_user_calls_it() -> None:
    assert step_name({"kernel": "g1", "nodes": ["conv", "relu"]}) == "conv + relu"


def test_the_c_interface_counts_steps(model: Model) -> None:
    api = model._library.api  # pyright: ignore[reportPrivateUsage]  (the C functions)
    assert api.step_count(None) == 0
    assert api.variant(None) == 0
    assert api.run_steps(None, 0, 0, None, None, None, None) == 1
    assert ctypes.string_at(api.message()) == b"run: the model is null"
