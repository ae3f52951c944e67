"""What the target is compared with: a checkpoint of any thread, an uploaded file, or nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st
import xxhash

from viewer.chain import Chain
from viewer.errors import ParseFault, SelectionError, ViewerError
from viewer.jsontext import escape_surrogates
from viewer.model import MISSING, ThreadRef
from viewer.reports import as_json
from viewer.reports.diff_document import unnamed_row
from viewer.settings import settings
from viewer.sources import Source
from viewer.sources.sharing import SharedLoader
from viewer.ui import cache, selection
from viewer.ui.checkpoint import title
from viewer.ui.chosen import Chosen
from viewer.ui.pickers import label_meant, labels, thread_label
from viewer.ui.say import visible

Key = tuple[Any, ...]
_KEPT = "kept_base"


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The old side of a comparison."""

    kind: Literal["here", "elsewhere", "file", "nothing"]
    """A checkpoint of the chosen chain or of another one, an uploaded file, the empty state."""
    state: Any
    """`MISSING` for a checkpoint that is listed without one."""
    title: str
    row: dict[str, Any]
    """How a diff document names it."""
    key: Key
    """What tells it from other bases as long as the files behind the sources stay as they are."""
    chain: Chain | None = None
    index: int | None = None
    """Of the checkpoint in its chain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A chain outside of the chosen one that the address names, and its checkpoint."""

    label: str
    """Of its source."""
    source: Source
    ref: ThreadRef
    chain: Chain
    index: int


def here(chosen: Chosen) -> Base | None:
    """Return the base inside the chosen chain: as chosen, else the parent, else the empty state.

    None where the parent is missing: what came before is not nothing, and not known.
    """
    chain, target = chosen.chain, chosen.chain.checkpoints[chosen.target]
    if chosen.base is not None:
        return _checkpoint("here", chosen.source, chosen.ref, chain, chosen.base)
    if target.parent_id is not None:
        return None
    return Base(
        kind="nothing",
        state={},
        title="nothing before",
        row=unnamed_row("(the empty state)"),
        key=("nothing",),
    )


def elsewhere(chosen: Chosen, sources: Sequence[Source]) -> Elsewhere | None:
    """Return the base outside of the chosen chain that the address names; None where it names none.

    Raises:
        SelectionError: what it names is not open or holds no such checkpoint.
        ViewerError: the chain cannot be read.
    """
    wanted = selection.current()
    if wanted.against_thread is None:
        return None
    named = labels(sources)
    own = next((label for label, source in named.items() if source is chosen.source), None)
    label = label_meant(named, wanted.against_source) or own
    if label is None or label not in named:
        raise SelectionError(f"the source {visible(wanted.against_source or '')!r} is not open")
    source = named[label]
    name = _name(wanted.against_thread, wanted.against_namespace or "")
    ref = next((r for r in source.threads if _name(r.thread_id, r.namespace) == name), None)
    if ref is None:
        raise SelectionError(f"{label} holds no thread {' · '.join(filter(None, name))}")
    chain = cache.chain(source, ref)
    return Elsewhere(
        label=label,
        source=source,
        ref=ref,
        chain=chain,
        index=chain.pair(None, wanted.against)[1],
    )


def _name(thread: str, namespace: str) -> tuple[str, str]:
    """Return what names a chain, as an address can carry it."""
    return escape_surrogates(thread), escape_surrogates(namespace)


def away(found: Elsewhere, chosen: Chosen) -> Base:
    """Return the base that ``found`` is."""
    base = _checkpoint("elsewhere", found.source, found.ref, found.chain, found.index)
    thread = thread_label(found.ref)
    where = thread if found.source is chosen.source else f"{found.label} · {thread}"
    return Base(
        kind="elsewhere",
        state=base.state,
        title=f"{where} · {base.title}",
        row=base.row,
        key=base.key,
        chain=base.chain,
        index=base.index,
    )


def uploaded(name: str, raw: bytes) -> Base:
    """Return the base that an uploaded JSON file is.

    Raises:
        ViewerError: it is too large or no JSON document; the message says where.
    """
    limits, shown = settings().limits, visible(name)
    if len(raw) > limits.upload_bytes:
        raise ViewerError(f"{shown}: larger than {limits.upload_bytes} bytes (limit: upload_bytes)")
    loader = SharedLoader("json", limits.depth)
    try:
        state = loader.load(raw)
    except ParseFault as fault:
        place = "".join(f":{n}" for n in (fault.line, fault.column) if n is not None)
        raise ViewerError(f"{shown}{place}: {fault.reason}") from fault
    twice = [visible(pointer) for pointer in loader.duplicate_keys]
    noted = f", where {twice[0]} stands twice: the last value counts" if twice else ""
    if len(twice) > 1:
        noted = f", where {len(twice)} keys stand twice (first {twice[0]}): the last values count"
    return Base(
        kind="file",
        state=state,
        title=f"uploaded {shown}{noted}",
        row=unnamed_row(f"{shown} (uploaded)"),
        key=("file", xxhash.xxh3_128_hexdigest(raw)),
    )


def keep_base(base: Base) -> None:
    """Keep ``base`` for what the panel asks about the pair while the page stays as it is."""
    st.session_state[_KEPT] = base.state


def kept_base() -> Any:
    """Return the state that the page compares with.

    Raises:
        ViewerError: the page has compared nothing yet.
    """
    if _KEPT not in st.session_state:
        raise ViewerError("nothing is compared yet")
    return st.session_state[_KEPT]


def name_of(chain: Chain, index: int) -> str:
    """Return how the address names a checkpoint: by its id where that is its own, else ``@INDEX``."""
    name = chain.checkpoints[index].checkpoint_id
    try:
        own = chain.resolve(name) == index and escape_surrogates(name) == name
    except SelectionError:
        own = False
    return name if own else f"@{index}"


def swap(chosen: Chosen, base: Base, sources: Sequence[Source]) -> None:
    """Let base and target change places, and run the page again."""
    target = name_of(chosen.chain, chosen.target)
    if base.kind == "here" and base.index is not None:
        selection.choose(checkpoint=f"@{base.index}", base=f"@{chosen.target}")
        st.rerun()
    found = elsewhere(chosen, sources) if base.kind == "elsewhere" else None
    if found is None:
        return
    named = {id(source): label for label, source in labels(sources).items()}
    selection.choose(
        source=found.label,
        thread=found.ref.thread_id,
        namespace=found.ref.namespace or None,
        checkpoint=f"@{found.index}",
        base=None,
        against_source=None if found.source is chosen.source else named[id(chosen.source)],
        against_thread=chosen.ref.thread_id,
        against_namespace=chosen.ref.namespace or None,
        against=target,
    )
    st.rerun()


def _checkpoint(
    kind: Literal["here", "elsewhere"], source: Source, ref: ThreadRef, chain: Chain, index: int
) -> Base:
    has = chain.checkpoints[index].has_state
    return Base(
        kind=kind,
        state=chain.state(index) if has else MISSING,
        title=title(chain, index),
        row=as_json.named(chain, index),
        key=(ascii(source.name), cache.stamp(source.location), ascii(ref), index),
        chain=chain,
        index=index,
    )
