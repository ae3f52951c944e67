"""A chain: the checkpoints of one thread and namespace by lineage, with parents, forks and heads.

Order is by parent links, then the source's own order; never by step or by id alone.
"""

from viewer.chain.assembly import assemble, when
from viewer.chain.lineage import Chain

__all__ = ["Chain", "assemble", "when"]
