"""From groups to loops: one strategy per file, named by the ``strategy`` of a group's schedule.

A strategy file defines ``lower(job)``. All strategies write elements through ``scope``.
"""
