"""Times compiled models beside what else could run them, in one process and by turns.

A ``Workload`` is a model at one batch size and precision; a contestant runs it: dlc (``ours``), and
the peers, one file each in ``peers``.
"""
