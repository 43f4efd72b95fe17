"""Gradients of graph ops, written as graph ops.

Each file here has the rules of a family of ops, which are in the registry once it is imported; the
pass ``graph-append-gradients`` puts them together for a whole model.
"""

from importlib import import_module
from pkgutil import iter_modules

from dlc.dialects.graph.gradient.rules import NoRuleError, gradient, kinds, rule_of

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["NoRuleError", "gradient", "kinds", "rule_of"]
