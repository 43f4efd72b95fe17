"""The options of a session and of a run, by ONNX Runtime's names and numbers."""

from dataclasses import dataclass, field
from enum import IntEnum

from dlc.errors import CompileError


class GraphOptimizationLevel(IntEnum):
    """How far ONNX Runtime optimises a graph; dlc always does all that it can."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(IntEnum):
    """Whether ONNX Runtime runs nodes beside each other; dlc runs one kernel after the other."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


@dataclass(slots=True)
class SessionOptions:
    """Options of a session.

    intra_op_num_threads: of a run on the CPU; 0: one per core. enable_profiling and
    optimized_model_filepath must stay as they are. The other attributes have no effect: they say
    how ONNX Runtime does its work, not what it computes.
    """

    intra_op_num_threads: int = 0
    enable_cpu_mem_arena: bool = True
    enable_mem_pattern: bool = True
    enable_mem_reuse: bool = True
    enable_profiling: bool = False
    execution_mode: int = ExecutionMode.ORT_SEQUENTIAL
    graph_optimization_level: int = GraphOptimizationLevel.ORT_ENABLE_ALL
    inter_op_num_threads: int = 0
    log_severity_level: int = -1
    log_verbosity_level: int = 0
    logid: str = ""
    optimized_model_filepath: str = ""
    profile_file_prefix: str = "onnxruntime_profile_"
    use_deterministic_compute: bool = False
    use_per_session_threads: bool = True
    sizes: dict[str, int] = field(default_factory=dict[str, int], init=False)
    """Symbolic sizes that are fixed, by name."""

    entries: dict[str, str] = field(default_factory=dict[str, str], init=False)

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        """Fix a symbolic size."""
        self.sizes[name] = size

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Keep an entry; it has no effect."""
        self.entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        """Return an entry. Raises KeyError."""
        return self.entries[key]


@dataclass(slots=True)
class RunOptions:
    """Options of a run; they have no effect."""

    log_severity_level: int = -1
    log_verbosity_level: int = 0
    logid: str = ""
    only_execute_path_to_fetches: bool = False
    terminate: bool = False


def set_default_logger_severity(severity: int) -> None:
    """Do nothing: dlc writes no log of its own when a session runs."""


def check_session_options(given: object) -> None:
    """Raise CompileError for an option, of this module's class or ONNX Runtime's, that asks for
    something that sessions do not do.
    """
    if getattr(given, "enable_profiling", False):
        raise CompileError(
            "sessions have no profiling (enable_profiling); dlc-run --bench measures a model"
        )
    if getattr(given, "optimized_model_filepath", ""):
        raise CompileError(
            "sessions write no optimised ONNX model (optimized_model_filepath); "
            "dlc-compile --emit graph prints the optimised graph"
        )
