"""Where an identifier first stands in the messages of a chain."""

from dataclasses import dataclass

from viewer.analysis.evidence import from_root
from viewer.analysis.mentions import texts
from viewer.analysis.messages import message_list, read_message
from viewer.chain import Chain
from viewer.profiles.identifiers import occurrences


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstMention:
    """The first checkpoint on the way to a state whose messages hold an identifier."""

    index: int
    pointer: str
    """Of the message or of the call in it."""


def first_mention(chain: Chain, index: int, identifier: str) -> FirstMention | None:
    """Return where ``identifier`` first stands on the lineage of the checkpoint at ``index``.

    None where it stands in no message there. A message that checkpoints share is read once.

    Raises:
        ProfileError: an identifier pattern cannot be used.
    """
    rules = chain.profile.file.grounding
    patterns = rules.identifiers if rules is not None else ()
    read: set[int] = set()
    for at in from_root(chain, index):
        if not chain.checkpoints[at].has_state:
            continue
        where, entries = message_list(chain.state(at), chain.profile)
        for number, entry in enumerate(entries):
            if id(entry) in read:
                continue
            read.add(id(entry))
            for pointer, text in texts(read_message(number, entry, (*where, number))):
                if identifier in text and identifier in occurrences(text, patterns):
                    return FirstMention(index=at, pointer=pointer)
    return None
