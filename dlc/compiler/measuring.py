"""Who measures schedules for a target on this machine."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from xdsl.dialects.builtin import ModuleOp

from dlc.compiler.identity import OWN_VERSION
from dlc.compiler.levels import pipelines
from dlc.compiler.options import Options
from dlc.compiler.targets import Target
from dlc.core.context import DlcContext
from dlc.tuning.cpu_builder import CpuBuilder
from dlc.tuning.cpu_device import CpuDevice
from dlc.tuning.gpu_builder import GpuBuilder
from dlc.tuning.gpu_device import GpuDevice
from dlc.tuning.measurer import DeviceMeasurer
from dlc.tuning.trial import Measurer
from dlc.verification.group_inputs import GroupInputs


def measurer(
    target: Target, module: ModuleOp, options: Options, context: DlcContext, kept: ExitStack
) -> Measurer:
    """Return what measures the groups of a module. kept: gives the device back.

    Raises CompileError for a device that cannot be used.
    """
    steps = dict(pipelines(target, options.precision))
    after_groups = list(steps.values())[list(steps).index("fused-group") + 1 :]
    pipeline, count = ",".join(after_groups), options.job_count
    model = context.weights, GroupInputs(module, context.weights), options.precision
    if target.is_gpu:
        device = GpuDevice(target.name, OWN_VERSION, kept)
        return DeviceMeasurer(device, GpuBuilder(target.name, pipeline, count, kept), *model)
    pool = ThreadPoolExecutor(count)
    kept.callback(pool.shutdown, wait=False, cancel_futures=True)
    device = CpuDevice(target.name, OWN_VERSION, kept)
    return DeviceMeasurer(device, CpuBuilder(target.name, pipeline, pool), *model)
