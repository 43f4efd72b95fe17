"""The table of the models in docs/analyze.md."""

from paper_models import MODELS, PaperModel

_HEAD = """| model | MACs | paper | nodes | paper | why they differ |
|---|---|---|---|---|---|"""


def table() -> str:
    """Return a row of each model: multiply-adds and nodes, ours and the paper's."""
    return "\n".join([_HEAD, *map(_row, MODELS)])


def _row(model: PaperModel) -> str:
    cells = (
        model.name,
        f"{model.macs / 1e6:.2f} M",
        f"{model.paper_macs / 1e6:.6g} M",
        f"{model.nodes}",
        f"{model.paper_layers}",
        model.why,
    )
    return f"| {' | '.join(cells)} |"
