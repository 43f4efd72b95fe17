"""How an operation says who waits for whom, and for what.

A GPU's threads run at their own pace. What one writes another may read only when something orders
the two: a *token*. One thread releases it when its accesses are done, another acquires it before
its own. Passes, checks and the simulator ask ``OrderingOp``; they list no ops.
"""

from abc import ABC
from dataclasses import dataclass
from enum import Enum, auto

from xdsl.ir import Operation, SSAValue

from dlc.arch.scope import Scope


class TokenKind(Enum):
    """What a token is made of."""

    MEETING = auto()
    """All threads of the scope arrive at one operation; each waits for all."""
    COPIES = auto()
    """The groups of a thread's own asynchronous copies (PTX ``cp.async``)."""
    STORES = auto()
    """The groups of a thread's own stores of tiles (PTX ``cp.async.bulk``)."""
    PRODUCTS = auto()
    """The groups of a warpgroup's own asynchronous products (PTX ``wgmma``)."""
    PHASE = auto()
    """A phase of an object in shared memory at which some arrive and others wait (``mbarrier``)."""
    NAMED = auto()
    """A numbered barrier of the block: so many threads arrive, some of them wait (PTX ``bar``)."""
    COUNTER = auto()
    """A counter in global memory: who raises it sees what others made visible before they did."""
    VALUE = auto()
    """A value in global memory that another thread publishes: who waits for it gets it, and learns
    of nothing else that the other has done."""
    LAUNCHES = auto()
    """The launches before the kernel's own: it may have begun while they ran."""


BETWEEN_THREADS = (TokenKind.PHASE, TokenKind.NAMED)
"""What one thread of a block releases and another one acquires, in another place of the kernel."""


FROM_OTHERS = (*BETWEEN_THREADS, TokenKind.VALUE)
"""What a thread may wait for while others that give it are in another place of the kernel."""


@dataclass(frozen=True)
class Token:
    """What threads wait for. scope: the threads that it orders. of: the object, if it has one."""

    kind: TokenKind
    scope: Scope
    of: SSAValue | int | None = None


class OrderingOp(Operation, ABC):
    """An operation that threads do together or that orders their accesses to memory."""

    @property
    def together(self) -> Scope:
        """The group whose threads must all come to the operation, if one of them does."""
        return Scope.THREAD

    @property
    def releases(self) -> Token | None:
        """Who acquires it after this thread has come here finds the accesses before done."""
        return None

    @property
    def acquires(self) -> Token | None:
        """What the thread waits for before it goes on."""
        return None

    def is_barrier(self, scope: Scope) -> bool:
        """Return whether all threads of ``scope`` wait for each other here."""
        token = self.acquires
        if token is None or token != self.releases or token.kind is not TokenKind.MEETING:
            return False
        return token.scope >= scope
