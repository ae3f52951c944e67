"""How deep states are nested; native code that judges them would overflow its stack."""

from typing import Any


class Nesting:
    """Depth of states that live as long as this does; subtrees they share are walked once."""

    def __init__(self) -> None:
        self._walked: dict[int, int] = {}

    def exceeds(self, state: Any, most: int) -> bool:
        """Return whether ``state`` has a container more than ``most`` containers deep."""
        walked, now = self._walked, dict[int, int]()
        level: list[Any] = [state] if isinstance(state, dict | list | tuple) else []
        depth = 1
        while level:
            if depth > most:
                return True
            below = []
            for container in level:
                if walked.get(id(container), 0) >= depth or now.get(id(container), 0) >= depth:
                    continue
                now[id(container)] = depth
                children = container.values() if isinstance(container, dict) else container
                below += [c for c in children if type(c) is dict or type(c) is list]
            level = below
            depth += 1
        walked.update(now)
        return False
