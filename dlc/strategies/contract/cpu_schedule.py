"""What a schedule of ``contract`` on a CPU holds."""

from dataclasses import dataclass

from dlc.strategies._key import LARGEST, count, flag, sizes
from dlc.strategies.contract.register_tiled import RegisterTiled


@dataclass(frozen=True)
class ContractOnCpu(RegisterTiled, strategy="contract", target="cpu"):
    """A core makes a tile of the result in its SIMD registers."""

    tile: tuple[int, int] = sizes(
        "`[mr, nr]`: the register tile of the micro-kernel", 2, most=LARGEST
    )
    cores: bool = flag("whether tiles are spread over several cores", False)
    rows: int = count(
        "rows of the lhs that stay in a core's cache while all columns pass; 0: all there are"
    )
    ahead: bool = flag(
        "whether the rhs of the next columns is asked for while these are multiplied", False
    )
