"""Contractions in tiles on a GPU: what they do, and how long they probably take."""

from dlc.model.contraction.estimate import estimate_s, residents
from dlc.model.contraction.tiles import EXCHANGE_MARGIN, EXCHANGE_RUN, TileNumbers, Tiles
from dlc.model.contraction.work import Contraction

__all__ = [
    "EXCHANGE_MARGIN",
    "EXCHANGE_RUN",
    "Contraction",
    "TileNumbers",
    "Tiles",
    "estimate_s",
    "residents",
]
