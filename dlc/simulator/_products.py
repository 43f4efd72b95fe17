"""Products of warpgroups: they happen as late as they may, when their threads wait for them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dlc.simulator._faults import Site
from dlc.simulator._threads import Active, Batch, Integers


@dataclass(frozen=True)
class Product:
    """A product under way. groups: by position in the batch, the number of each thread's group.
    finish: multiplies for some of the threads.
    """

    site: Site
    active: Active
    groups: Integers
    finish: Callable[[Active], None]


class Products:
    """The products of a batch that nobody has waited for yet."""

    def __init__(self, batch: Batch):
        self.batch = batch
        self.commits = np.zeros(batch.size, np.int64)
        self.under_way: list[Product] = []

    def start(self, site: Site, active: Active, finish: Callable[[Active], None]) -> None:
        """Start a product of the active threads."""
        self.under_way.append(Product(site, active, self.commits.copy(), finish))

    def commit(self, active: Active) -> None:
        """Close each thread's group."""
        self.commits[active.index] += 1

    def wait(self, active: Active, outstanding: int) -> None:
        """Finish all groups of each thread but the last ``outstanding`` ones, in order."""
        remaining: list[Product] = []
        for product in self.under_way:
            over = product.groups < self.commits - outstanding
            done = product.active.mask & active.mask & over
            rest = product.active.mask & ~done
            if done.any():
                product.finish(Active(done))
            if rest.any():
                remaining.append(replace(product, active=Active(rest)))
        self.under_way = remaining

    def check_end(self) -> None:
        """Fail if a product is still under way when all threads have ended."""
        for product in self.under_way:
            thread = int(product.active.threads[0])
            product.site.fail(self.batch, thread, "starts a product that nobody waits for")
