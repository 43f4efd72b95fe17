"""The text of a contraction on a GPU with a schedule that is given."""

from collections.abc import Sequence


def contraction_text(types: Sequence[str], op: str, keys: str) -> str:
    """Return a module of one group on two arguments.

    types: of both and of the result, as MLIR writes them. op: on ``%a`` and ``%b``, without its
    types. keys: of the schedule.
    """
    x, w, y = types
    return f"""
func.func @main(%x: {x}, %w: {w}) -> {y} {{
  %y = fused_group.group @g(%x, %w) : ({x}, {w}) -> {y} attributes {{
      schedule = #loop.schedule<strategy = "contract", target = "gpu", {keys}>}} {{
  ^bb0(%a: {x}, %b: {w}):
    %r = {op} : ({x}, {w}) -> {y}
    fused_group.yield %r : {y}
  }}
  func.return %y : {y}
}}"""
