"""Contractions in tiles on a GPU: what they do, and how long they probably take."""

from dlc.model.contraction.estimate import estimate_s, residents
from dlc.model.contraction.tiles import EXCHANGE_MARGIN, Tiles
from dlc.model.contraction.work import Contraction

__all__ = ["EXCHANGE_MARGIN", "Contraction", "Tiles", "estimate_s", "residents"]
