"""Which file a library is on this machine: times of its calls are good for no other one."""

import ctypes
from pathlib import Path

from dlc import libraries
from dlc.runtime.artifact import digest_of_file
from dlc.scratch import ScratchFolder
from dlc.tuning.calling import calling_sources, linked, opened

_RTLD_DI_LINKMAP = 2
_SHOWN = 16


class _LinkMap(ctypes.Structure):
    """The beginning of ``struct link_map``."""

    _fields_ = (("address", ctypes.c_size_t), ("name", ctypes.c_char_p))


def library_version(name: str) -> str:
    """Return what tells the file of a library from others: a digest of it, ``""`` where there is
    none. Raises CompileError where nothing can be compiled.
    """
    code = linked(calling_sources([libraries.by_name(name)]))
    with ScratchFolder("dlc-tune-") as folder:
        path = Path(folder, "look.so")
        path.write_bytes(code)
        trial = ctypes.CDLL(str(path))
        with opened(trial) as (found,):
            file = _file(found.state.split("; ")[0]) if found.is_used else None
    return digest_of_file(file, 0, file.stat().st_size).hex()[:_SHOWN] if file else ""


def _file(name: str) -> Path:
    """Return the file that the dynamic linker finds by a name."""
    if "/" in name:
        return Path(name)
    handle, map = ctypes.CDLL(name), ctypes.POINTER(_LinkMap)()
    ctypes.CDLL(None).dlinfo(ctypes.c_void_p(handle._handle), _RTLD_DI_LINKMAP, ctypes.byref(map))
    return Path((map.contents.name or b"").decode())
