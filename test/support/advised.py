"""Advice for models, and what comes of it where it is followed."""

from pathlib import Path

import onnx
from layer_models import HEAD, with_weights
from onnx.parser import parse_model

from dlc.analyze import analyze
from dlc.analyze.critical_path import longest_path_s
from dlc.compiler import Options
from dlc.compiler.outcome import Report


def write_model(folder: Path, body: str, weights: dict[str, tuple[int, ...]]) -> Path:
    """Write a model; return its file."""
    path = folder / "model.onnx"
    onnx.save(with_weights(parse_model(f"{HEAD} {body}"), weights), path)
    return path


def advice_of(report: Report, question: str) -> Report:
    """Return the answer to a question, of which there is one."""
    (found,) = [each for each in report["advice"] if each["question"] == question]
    return found


def asked(
    path: Path, target: str = "sm_90a", precision: str = "fp32", profile: Path | None = None
) -> Report:
    """Return an analysis of a file."""
    return analyze(path, Options(target, precision), profile=profile)


def launch_times(report: Report) -> tuple[float, float]:
    """Return what the launches of a compile take by its report, in microseconds: one after the
    other, and each as soon as those that it comes after have ended.
    """
    (variant,) = report["variants"]
    launches = [step for step in variant["steps"] if "kernel" in step]
    us = {str(number): step["estimate_us"] for number, step in enumerate(launches)}
    needs = {str(n): [str(x) for x in step.get("after", [])] for n, step in enumerate(launches)}
    return sum(us.values()), longest_path_s(needs, us)
