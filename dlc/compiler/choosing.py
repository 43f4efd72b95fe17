"""How the schedules of a model's groups are chosen where the user wants more than the model of the
chip: by measuring, or by a lock file.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.analysis.entry import find_main, groups
from dlc.compiler.dividing import Dividing
from dlc.compiler.ir_files import is_ir
from dlc.compiler.options import Options
from dlc.compiler.targets import Target, parse_targets
from dlc.compiler.tuning_session import TuningSession
from dlc.core.cache import write_atomically
from dlc.core.context import DlcContext
from dlc.core.instrumentation import PassManager
from dlc.dialects.loop import MeasuredAttr
from dlc.errors import CompileError
from dlc.frontends.onnx.loading import ModelSource
from dlc.option_text import option
from dlc.tuning.kind import key_of
from dlc.tuning.lock import Lock, lock_text, read_lock
from dlc.tuning.measurement import Measurement
from dlc.tuning.tuned import Tuned


@dataclass
class Choosing:
    """Writes schedules on groups, as ``options`` wish it, and keeps them for a lock file.

    tuned: what was measured, where anything was. remarks: what the user should know.
    """

    options: Options
    context: DlcContext
    tuned: Tuned | None = None
    remarks: list[str] = field(default_factory=list[str])
    _chosen: dict[str, ModuleOp] = field(default_factory=dict[str, ModuleOp])
    _divisions: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    _session: TuningSession | None = None
    _dividing: Dividing | None = None

    @contextmanager
    def lowering(self, target: Target, module: ModuleOp) -> Generator[None]:
        """Let ``fuse`` divide a module as the options wish; ``choose`` comes behind it.

        The device that measures is given back at the end.
        """
        options, path = self.options, self.options.locked
        with ExitStack() as kept:
            if options.tune_seconds is not None and target.runs_here:
                told = self.remarks.append
                self._session = TuningSession(target, options, self.context, kept, told)
            lock = None if path is None else _read(Path(path))
            self._dividing = Dividing(options, target, module, self._session, lock)
            self.context.search = self._dividing.search
            try:
                yield
            finally:
                self.context.search = self._session = None

    def choose(self, target: Target, module: ModuleOp) -> None:
        """Choose for a module that ``tile`` has been through. Raises CompileError."""
        if self._dividing is not None:
            self._dividing.finish()
        if self.options.locked is not None:
            self._obey(Path(self.options.locked), target, module)
        elif self.options.tune_seconds is not None:
            self._tune(target, module)
        if self.options.lock is not None:
            assert self._dividing is not None
            self._chosen[target.name] = module.clone()
            self._divisions[target.name] = self._dividing.texts

    def tuned_data(self) -> Mapping[str, object] | None:
        """Return what was measured as plain data, if anything should be."""
        return self.tuned.data() if self.tuned else None

    def write_lock(self) -> None:
        """Write the lock file, where one is wished. Raises OSError."""
        if self.options.lock is not None:
            write_atomically(Path(self.options.lock), self._lock_text().encode())

    def _lock_text(self) -> str:
        return lock_text(self._chosen, self.options.libraries, self._divisions)

    def _obey(self, lock: Path, target: Target, module: ModuleOp) -> None:
        _read(lock).write_on(module, target.name)
        try:
            self._tile(target, module)
        except CompileError as error:
            raise CompileError(str(error), at=str(lock)) from error

    def _tile(self, target: Target, module: ModuleOp) -> None:
        passes = registry.build_passes(f"tile{{arch={target.name}{self.options.calling}}}")
        PassManager(passes, verify_each=False).run(self.context, module)

    def _tune(self, target: Target, module: ModuleOp) -> None:
        if not target.runs_here:
            self.remarks.append(
                f"nothing is measured for {target.name}, which this machine does not have: the "
                "model of the chip chooses; tune where it is, and bring the lock file here"
            )
            return
        assert self._session is not None
        try:
            tuner = self._session.tuner(module)
            if tuner is None:
                return
            self.tuned = tuner.tune(module)
        except (
            KeyboardInterrupt
        ):  # before anything was measured: the compile goes on, as it does after
            self.tuned = Tuned(stopped="interrupted")
        assert self._dividing is not None
        self.tuned.divided = self._dividing.summary
        self.remarks += self.tuned.faults
        self._take(target, module, self.tuned)

    def _take(self, target: Target, module: ModuleOp, tuned: Tuned) -> None:
        """Let ``tile`` choose again, knowing what was measured, and note it on the groups."""
        found = groups(find_main(module))
        for group in found:
            group.schedule = None
        before, self.context.measurements = self.context.measurements, tuned
        try:
            self._tile(target, module)
        finally:
            self.context.measurements = before
        for group in found:
            if time := tuned.measurement(key_of(group), str(group.schedule)):
                group.measured = _measured(time)


def obeying(options: Options, source: ModelSource) -> Options:
    """Return options with the libraries of the lock that they name, if they name one.

    source: what is compiled; IR, whose schedules stand in it, obeys no lock.
    Raises CompileError for a lock that cannot be read, or was written with other libraries.
    """
    if options.locked is None or is_ir(source):
        return options
    lock = _read(Path(options.locked))
    targets = parse_targets(options.target)
    if unknown := [each.name for each in targets if each.name not in lock.choices]:
        raise CompileError(lock.other_target(unknown[0]), at=lock.path)
    if options.libraries and {*options.libraries} != {*lock.libraries}:
        key, written = option("libraries"), ",".join(lock.libraries) or "none"
        raise CompileError(
            f"the lock was written with {key} {written}; leave out {key}", at=lock.path
        )
    return replace(options, libraries=lock.libraries)


def check_untuned(options: Options, source: ModelSource) -> None:
    """Raise CompileError for wishes about schedules where the source is IR, which has its own."""
    wishes = {"tune": options.tune_seconds, "lock": options.lock, "locked": options.locked}
    if given := [name for name, wish in wishes.items() if wish is not None]:
        text = "is for models: the schedules of IR are those that stand in it"
        raise CompileError(f"{option(given[0])} {text}", at=str(source))


def _measured(time: Measurement) -> MeasuredAttr:
    values = {"time_us": 1e6 * time.median_s, "spread_us": 1e6 * time.spread_s}
    rounded = ((name, float(f"{value:.4g}")) for name, value in values.items())
    return MeasuredAttr((*rounded, ("count", time.count)))


def _read(path: Path) -> Lock:
    return read_lock(_text(path), str(path))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CompileError(f"cannot read the lock file: {error.strerror}", at=str(path)) from error
    except UnicodeDecodeError as error:
        raise CompileError("this is no lock file, it is not text", at=str(path)) from error
