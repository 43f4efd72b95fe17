"""``analyze``: a model in, what it has to do and how fast that can be out."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from dlc import arch
from dlc.analyze.advice import Facts, advise
from dlc.analyze.advice.facts import other_precisions
from dlc.analyze.batch import check_sizes, with_batch
from dlc.analyze.measuring import Measuring
from dlc.analyze.one_size import OneSize
from dlc.analyze.profiled import with_profile
from dlc.analyze.profiles import Profile, read_profile
from dlc.compiler.ir_files import is_ir
from dlc.compiler.options import Options
from dlc.compiler.outcome import Report
from dlc.compiler.targets import Target, check_libraries, parse_chip
from dlc.core.blas_threads import one_blas_thread
from dlc.core.child import Child
from dlc.core.garbage import rare_collections
from dlc.errors import CompileError
from dlc.frontends.onnx.loading import ModelSource
from dlc.frontends.onnx.shapes import Shapes
from dlc.option_text import option
from dlc.tuning.recorded import read_recorded


def analyze(
    source: ModelSource,
    options: Options,
    batches: Sequence[int] = (),
    times: str | Path | None = None,
    profile: str | Path | None = None,
    backward: bool = False,
) -> Report:
    """Return the layers of a model, their work, and bounds of their time (docs/analyze.md lists the
    keys).

    batches: batch sizes; the report is that of the first one, and has those of all under
    ``batches`` where there are several. times: a database of measured times, or an export of one,
    perhaps of another machine with this chip. profile: a file of what another system measured of
    the model. backward: whether the report has the gradients of the layers, too. Of ``options``,
    those count that decide what is computed, how it is divided into kernels, and whether kernels
    are measured (``tune``). Raises CompileError.
    """
    options.check()
    if is_ir(source):
        raise CompileError("an analysis is of an ONNX model, this is IR", at=str(source))
    target = parse_chip(options.target)
    check_libraries(options.libraries, [target])
    seen = _profile(profile, batches)
    measuring = _measuring(target, options, times)
    with rare_collections(), one_blas_thread():
        each = [*_of_batches(source, options, measuring, batches, seen, backward)]
    return {**each[0], "batches": each} if len(each) > 1 else each[0]


def _measuring(target: Target, options: Options, times: str | Path | None) -> Measuring:
    if times is not None and options.tune_seconds is not None:
        raise CompileError(f"give {option('tune')} or {option('times')}, not both")
    recorded = None if times is None else read_recorded(Path(times), target.name)
    return Measuring.of(target, options, recorded)


def _profile(path: str | Path | None, batches: Sequence[int]) -> Profile | None:
    if path is None:
        return None
    if len(batches) > 1:
        raise CompileError(f"a profile is of one batch size; give one with {option('batch')}")
    return read_profile(Path(path))


def _of_batches(
    source: ModelSource,
    options: Options,
    measuring: Measuring,
    batches: Sequence[int],
    profile: Profile | None,
    backward: bool,
) -> Iterator[Report]:
    shapes = options.shapes or {}
    constants = list(options.constants or {})
    sizes = [(n, with_batch(source, shapes, n, constants)) for n in batches]  # all, before work
    if not sizes:
        check_sizes(source, shapes, constants)
    for batch, given in sizes or [(None, shapes)]:
        with _asked_ahead(partial(_at_precision, source, measuring, given), measuring) as other:
            yield _report(source, measuring, given, batch, profile, backward, other)


def _report(
    source: ModelSource,
    measuring: Measuring,
    shapes: Shapes,
    batch: int | None,
    profile: Profile | None,
    backward: bool,
    other: Callable[[str], float],
) -> Report:
    """Return what is said of one batch size. other: what our groups take in another precision."""
    chip, options = arch.by_name(measuring.target.name), measuring.options
    found = OneSize(source, measuring, shapes, backward).data()
    report = {
        "model": None if not isinstance(source, str | Path) else str(source),
        "target": measuring.target.name,
        "chip": chip.name,
        "precision": options.precision,
        "batch": batch,
        "remarks": [*measuring.remarks],
        **found,
    }
    report, matched = with_profile(report, profile) if profile else (report, None)
    return {**report, "advice": advise(Facts(report, options, shapes, matched, other))}


@contextmanager
def _asked_ahead(
    find: Callable[[str], float], measuring: Measuring
) -> Generator[Callable[[str], float]]:
    """Let other processes find meanwhile what advice will ask for; not where this one may measure,
    which has the device.
    """
    chip = arch.by_name(measuring.target.name)
    if measuring.budget is not None:
        yield find
        return
    with ExitStack() as kept:
        names = other_precisions(chip, measuring.options.precision)
        children = {name: kept.enter_context(Child(lambda: find)) for name in names}
        for name, child in children.items():
            child.ask(name)
        yield lambda name: children[name].answer()


def _at_precision(
    source: ModelSource, measuring: Measuring, given: Shapes, precision: str
) -> float:
    """Return what our groups take in another precision by what is known; it measures nothing."""
    measuring.options.progress(f"the same in {precision}")
    return OneSize(source, measuring.looking_up(precision), given).fused_parallel_us()
