"""Where the time of a command goes."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Timing:
    """Wall seconds by name, in the order of their first use."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def measure(self, name: str) -> Generator[None]:
        """Add the time of the block to ``name``."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def report(self) -> str:
        """Return a table in the manner of ``mlir-opt --mlir-timing``."""
        total = sum(self.seconds.values())
        rule = f"===-{'-' * 73}-===\n"
        title = f"{'... Execution time report ...':^79}\n"
        rows = [*self.seconds.items(), ("Total", total)]
        lines = [f"  {s:9.4f} ({100 * s / total if total else 0:5.1f}%)  {n}\n" for n, s in rows]
        head = f"  Total Execution Time: {total:.4f} seconds\n\n  ----Wall Time----  ----Name----\n"
        return rule + title + rule + head + "".join(lines)
