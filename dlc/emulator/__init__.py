"""Runs a finished GPU artifact on the processor: its host program, its tables and the CUDA text of
its kernels, on a stand-in for the driver.
"""
