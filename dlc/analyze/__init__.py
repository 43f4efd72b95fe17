"""What the layers of a model have to do, and bounds of the time that this takes (after Benanza).

C. Li, A. Dakkak, J. Xiong, W. Hwu, "Benanza: Automatic uBenchmark Generation to Compute 'Lower-
bound' Latency and Inform Optimizations of Deep Learning Models on GPUs", IPDPS 2020.
"""

from dlc.analyze.analysis import analyze

__all__ = ["analyze"]
