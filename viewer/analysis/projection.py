"""The part of a state that a profile projects towards the model."""

from typing import Any

from viewer.model import MISSING
from viewer.pointer import Pattern, Tokens
from viewer.profiles import Profile


class Projector:
    """A profile's ``[projection]``, compiled.

    A place is shown when it or a place above it is included and neither is excluded; with no
    include at all everything is included. What is left out goes without a trace: an object loses
    the key, a list the item. Of an optional place nobody knows: the app may show it or not.
    """

    def __init__(self, profile: Profile) -> None:
        self.exists = profile.file.projection is not None
        self.include = profile.include
        self.exclude = profile.exclude
        self.optional = profile.optional
        longest = max((len(p.tokens) for p in (*self.include, *self.exclude)), default=0)
        self.reach = longest
        """Deeper than this no pattern names a place, so a subtree is kept or dropped whole."""

    def project(self, state: Any) -> Any:
        """Return what of ``state`` is shown, `MISSING` where that is nothing; shares subtrees."""
        return self.part((), state)

    def part(self, tokens: Tokens, value: Any) -> Any:
        """Return what is shown of ``value``, which stands at ``tokens``; `MISSING` for nothing."""
        above = range(len(tokens))
        if any(self._names(self.exclude, tokens[:n]) for n in above):
            return MISSING
        included = not self.include or any(self._names(self.include, tokens[:n]) for n in above)
        return self._prune(tokens, value, included)

    def is_optional(self, tokens: Tokens) -> bool:
        """Return whether the app may show what stands at ``tokens``, or may not."""
        upto = range(len(tokens) + 1)
        return any(self._names(self.optional, tokens[:n]) for n in upto) and not any(
            self._names((*self.include, *self.exclude), tokens[:n]) for n in upto
        )

    def _prune(self, at: Tokens, value: Any, included: bool) -> Any:
        if self._names(self.exclude, at):
            return MISSING
        included = included or self._names(self.include, at)
        if len(at) >= self.reach or not isinstance(value, dict | list) or not value:
            return value if included else MISSING
        if isinstance(value, list):
            listed = [self._prune((*at, i), child, included) for i, child in enumerate(value)]
            kept: Any = [child for child in listed if child is not MISSING]
        else:
            pruned = {k: self._prune((*at, k), child, included) for k, child in value.items()}
            kept = {k: child for k, child in pruned.items() if child is not MISSING}
        return kept if kept or included else MISSING

    @staticmethod
    def _names(patterns: tuple[Pattern, ...], at: Tokens) -> bool:
        return any(len(p.tokens) == len(at) and p.matches(at) for p in patterns)
