import copy
import gc
import json
import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.equality import same
from viewer.errors import ParseFault
from viewer.sources.sharing import SharedLoader, collector_paused
from viewer.sources.unify import unify

Writer = Callable[[Any], bytes]

WORDS = ["a", "b:", "é", '"', "step", "messages"]
scalars = (
    st.none()
    | st.booleans()
    | st.sampled_from([0, 1, 0.0, -0.0, 1.0, 2**70, "1", "", "x" * 600])
    | st.text(max_size=3)
)
rows = st.fixed_dictionaries(
    {"id": st.integers(0, 5) | st.sampled_from(["m1", "m2"])}, optional={"t": scalars}
)
values = st.recursive(
    scalars | rows,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(WORDS), inner),
    max_leaves=12,
)


def written(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def shuffled(value: Any) -> Any:
    """The same value, its objects' keys in reverse order."""
    if isinstance(value, dict):
        return {key: shuffled(one) for key, one in reversed(value.items())}
    return [shuffled(one) for one in value] if isinstance(value, list) else value


WRITERS: dict[str, Writer] = {
    "compact": written,
    "python": lambda value: json.dumps(value).encode(),
    "ascii off": lambda value: json.dumps(value, ensure_ascii=False).encode(),
    "indented": lambda value: json.dumps(value, indent=2).encode() + b"\n",
    "shuffled": lambda value: written(shuffled(value)),
    "utf-16": lambda value: json.dumps(value).encode("utf-16"),
}


@st.composite
def edited(draw: st.DrawFn, value: Any) -> Any:
    """A value near ``value``: most of it is kept."""
    kind = draw(st.integers(0, 5))
    if isinstance(value, dict) and value and kind > 1:
        key = draw(st.sampled_from(list(value)))
        kept = {k: v for k, v in value.items() if k != key}
        return kept if kind == 2 else {**value, key: draw(edited(value[key]))}
    if isinstance(value, list) and kind > 1:
        at = draw(st.integers(0, len(value)))
        if kind == 2:
            return [*value[:at], draw(values), *value[at:]]
        if kind == 3:
            return [*value, draw(values)]
        if kind == 4:
            return [*value[at:], *value[:at]]
        if at < len(value):
            return [*value[:at], draw(edited(value[at])), *value[at + 1 :]]
    return draw(values)


@st.composite
def chains(draw: st.DrawFn) -> list[Any]:
    chain = [draw(st.dictionaries(st.sampled_from(WORDS), values, min_size=1))]
    for _ in range(draw(st.integers(1, 5))):
        chain.append(draw(edited(chain[-1])))
    return chain


@settings(max_examples=300, deadline=None)
@given(chains(), st.lists(st.sampled_from(sorted(WRITERS)), min_size=6, max_size=6), st.booleans())
def test_a_shared_state_equals_a_fresh_one_and_earlier_ones_stay(
    chain: list[Any], layouts: list[str], small: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if small:
            patch.setattr("viewer.sources.sharing.SMALL", 0)
        loader = SharedLoader()
        found: list[Any] = []
        for state, layout in zip(chain, layouts, strict=False):
            found.append(loader.load(WRITERS[layout](state)))
            assert loader.duplicate_keys == ()
        assert all(map(same, found, chain))
        assert [signs(one) for one in found] == [signs(one) for one in chain]


def signs(value: Any) -> str:
    """Text that tells -0.0 from 0.0 wherever they stand."""
    return json.dumps(value, sort_keys=True)


@settings(max_examples=150, deadline=None)
@given(chains())
def test_messagepack_states_equal_fresh_ones(chain: list[Any]) -> None:
    loader = SharedLoader("msgpack")
    for state in chain:
        state = json.loads(json.dumps(state).replace(str(2**70), "7"))
        assert same(loader.load(msgspec.msgpack.encode(state)), state)


def big(name: str, size: int = 3000) -> dict[str, Any]:
    return {"id": name, "text": "lorem " * (size // 6), "tags": [name, {"deep": name}]}


@pytest.mark.parametrize("layout", ["compact", "python", "indented", "utf-16"])
def test_what_did_not_change_is_the_same_object(layout: str) -> None:
    write = WRITERS[layout]
    first = {"plan": big("p"), "messages": [big("m1"), big("m2")], "step": 1, "same": [1, 2.0]}
    second = {**first, "messages": [*first["messages"], big("m3")], "step": 2}
    third = copy.deepcopy(second)
    third["messages"][1]["tags"].append("new")
    third["messages"] = [third["messages"][2], third["messages"][1]]
    loader = SharedLoader()
    a, b, c = (loader.load(write(state)) for state in (first, second, third))
    assert (a, b, c) == (first, second, third)
    assert a["plan"] is b["plan"] is c["plan"]
    assert a["same"] is b["same"] is c["same"]
    assert a["messages"][0] is b["messages"][0]
    assert c["messages"][0] is b["messages"][2]
    assert c["messages"][1]["text"] is b["messages"][1]["text"]
    assert c["messages"][1] is not b["messages"][1]


def test_an_equal_document_is_the_same_object_whatever_its_layout() -> None:
    state = {"a": big("a"), "b": [big("b")]}
    loader = SharedLoader()
    first = loader.load(WRITERS["compact"](state))
    assert all(loader.load(write(state)) is first for write in WRITERS.values())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("true", "1", id="true and 1"),
        pytest.param("1", "1.0", id="1 and 1.0"),
        pytest.param("false", "0", id="false and 0"),
        pytest.param("0.0", "-0.0", id="signed zero"),
        pytest.param("null", "0", id="null and 0"),
        pytest.param("1180591620717411303424", "1180591620717411303425", id="big integers"),
    ],
)
@pytest.mark.parametrize("pad", ["", "x" * 2000], ids=["small", "large"])
def test_values_of_another_type_are_never_shared(before: str, after: str, pad: str) -> None:
    texts = [
        f'{{"pad":"{pad}","deep":[{{"id":1,"pad":"{pad}","v":{v}}}]}}' for v in (before, after)
    ]
    loader = SharedLoader()
    a, b = (loader.load(text.encode())["deep"][0]["v"] for text in texts)
    assert (repr(a), repr(b)) == (repr(json.loads(before)), repr(json.loads(after)))


def test_nan_is_shared_with_nan() -> None:
    loader = SharedLoader()
    first = loader.load(b'{"loss": NaN, "n": 1}')
    assert loader.load(b'{"loss": NaN,  "n": 1}') is first
    assert loader.load(b'{"loss": 1.5, "n": 1}') == {"loss": 1.5, "n": 1}


def test_doubled_keys_are_reported_for_each_document_that_has_them() -> None:
    filler = "x" * 3000
    twice = f'{{"f":"{filler}","a":{{"k":1,"k":2,"f":"{filler}"}},"n":%d}}'
    loader = SharedLoader()
    loader.load(f'{{"f":"{filler}","a":{{"k":2,"f":"{filler}"}},"n":0}}'.encode())
    assert loader.duplicate_keys == ()
    for n in (1, 2):
        assert loader.load((twice % n).encode())["a"]["k"] == 2
        assert loader.duplicate_keys == ("/a/k",)
    loader.load(f'{{"f":"{filler}","a":{{"k":2,"f":"{filler}"}},"n":0}}'.encode())
    assert loader.duplicate_keys == ()


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" ,\n", " : ")])
@pytest.mark.parametrize("size", [10, 3000])
def test_a_doubled_key_is_found_at_every_level(separators: tuple[str, str], size: int) -> None:
    comma, colon = separators
    pad = f'"pad"{colon}"{"x" * size}"'
    plain = f'{{{pad}{comma}"a"{colon}{{{pad}{comma}"b"{colon}[{{{pad}{comma}"c"{colon}1}}]}}}}'
    for key, pointer in (("c", "/a/b/0/c"), ("b", "/a/b"), ("a", "/a")):
        loader = SharedLoader()
        loader.load(plain.encode())
        loader.load(plain.replace(f'"{key}"', f'"{key}"{colon}0{comma}"{key}"').encode())
        assert loader.duplicate_keys == (pointer,)


def test_a_broken_document_leaves_the_loader_as_it_was() -> None:
    loader = SharedLoader()
    first = loader.load(written({"a": big("a")}))
    with pytest.raises(ParseFault) as caught:
        loader.load(b'\n{"a": 1,\n "b": }')
    assert (caught.value.line, caught.value.column) == (3, 7)
    assert loader.load(written({"a": big("a"), "n": 1}))["a"] is first["a"]


@pytest.mark.parametrize("levels", [41, 300, 100_000])
def test_depth_holds_for_parts_too(levels: int) -> None:
    loader = SharedLoader(depth=40)
    pad = '"pad":"' + "x" * 2000 + '"'
    loader.load(f'{{{pad},"a":{{{pad},"b":[1,2]}}}}'.encode())
    deep = "[" * (levels - 2) + "]" * (levels - 2)
    with pytest.raises(ParseFault, match="nested more than 40 deep"):
        loader.load(f'{{{pad},"a":{{{pad},"b":{deep}}}}}'.encode())
    fits = "[" * 38 + "]" * 38
    loader.load(f'{{{pad},"a":{{{pad},"b":{fits}}}}}'.encode())


def deep(leaf: int) -> Any:
    value: Any = ["x" * 2000, leaf]
    for _ in range(150):
        value = ["x" * 2000, {"a": value}]
    return {"deep": value}


@pytest.mark.parametrize("fmt", ["json", "msgpack"])
@pytest.mark.parametrize("frames", [0, 500])
def test_a_deep_document_is_read_from_deep_in_a_program(fmt: Any, frames: int) -> None:
    encode = written if fmt == "json" else msgspec.msgpack.encode
    raws = [encode(deep(n)) for n in (1, 2, 3)]
    loader = SharedLoader(fmt)

    def below(left: int) -> list[Any]:
        return below(left - 1) if left else [loader.load(raw) for raw in raws]

    assert [json.dumps(one) for one in below(frames)] == [json.dumps(deep(n)) for n in (1, 2, 3)]


@pytest.mark.parametrize("fmt", ["json", "msgpack"])
def test_at_the_end_of_the_stack_the_fault_is_named(fmt: Any) -> None:
    encode = written if fmt == "json" else msgspec.msgpack.encode
    raw = encode(deep(1))
    loader = SharedLoader(fmt)

    def below(left: int) -> Any:
        return below(left - 1) if left else loader.load(raw)

    with pytest.raises(ParseFault, match="nested"):
        below(800)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"\xc1", id="no MessagePack"),
        pytest.param(b"\x81\xa1a", id="cut off"),
        pytest.param(b"\x91" * 5000 + b"\xc0", id="deep"),
        pytest.param(b"\x91" * 500 + b"\xc0", id="deeper than the limit"),
    ],
)
def test_broken_messagepack_is_a_named_fault(raw: bytes) -> None:
    with pytest.raises(ParseFault):
        SharedLoader("msgpack").load(raw)


def test_messagepack_with_other_keys_and_own_parser() -> None:
    encode = msgspec.msgpack.encode
    assert SharedLoader("msgpack").load(encode({1: "a"})) == {1: "a"}
    seen: list[bytes] = []

    def parse(raw: bytes) -> Any:
        seen.append(raw)
        return msgspec.msgpack.decode(raw)

    loader = SharedLoader("msgpack", parse=parse)
    first = loader.load(encode({"a": big("a"), "n": 1}))
    second = loader.load(encode({"a": big("a"), "n": 2}))
    assert second == {"a": big("a"), "n": 2}
    assert second["a"] is first["a"]
    assert seen[1:] == [encode(2)]


def test_a_layout_that_tells_nothing_is_parsed_whole_for_a_while() -> None:
    rng = random.Random(3)
    state = {f"k{i}": {"id": i, "t": "x" * 1200} for i in range(20)}
    loader = SharedLoader()
    previous = loader.load(written(state))
    for step in range(40):
        keys = [f"k{i}" for i in range(20)]
        rng.shuffle(keys)
        state = {k: dict(reversed(state[k].items())) for k in keys} | {"step": step}
        found = loader.load(written(state))
        assert same(found, state)
        assert found["k3"] is previous["k3"]
        previous = found


def test_unify_keeps_what_moved_when_items_have_ids() -> None:
    old = [{"id": i, "v": [i]} for i in range(4)]
    new = [{"id": 9, "v": []}, *({"id": i, "v": [i]} for i in range(4))]
    found = unify(old, new)
    assert all(found[i + 1] is old[i] for i in range(4))


def test_the_collector_is_on_again_after_nested_loads_and_stays_off_if_it_was() -> None:
    assert gc.isenabled()
    with collector_paused():
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(KeyError), collector_paused():
        raise KeyError
    assert gc.isenabled()
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
