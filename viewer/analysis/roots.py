"""Which chains of a thread stand on their own, and which are subgraphs of another."""

from collections.abc import Mapping

from viewer.chain import Chain


def roots(chains: Mapping[str, Chain]) -> list[Chain]:
    """Return, of a thread's chains by namespace, those that are below no other one.

    The namespace ``''`` holds all others; without it (a store that was cut) a chain is below
    another by its nesting, or by the other's namespace being the beginning of its own.
    """
    if "" in chains:
        return [chains[""]]
    below = {
        name
        for name, chain in chains.items()
        if (chain.nesting is not None and chain.nesting.namespace in chains)
        or any(name.startswith(f"{other}|") for other in chains)
    }
    return [chain for name, chain in chains.items() if name not in below]
