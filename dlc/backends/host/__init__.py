"""The host program: read from ``main``, printed as C, linked with the kernels to one library."""

from dlc.backends.host.target import HostTarget

__all__ = ["HostTarget"]
