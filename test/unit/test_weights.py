import numpy as np
import pytest

from dlc.core.weights import WeightStore, WeightType
from dlc.errors import CompileError


def test_symbols_are_generated():
    store = WeightStore()
    symbols = [store.add("größe; rm -rf", np.arange(n)) for n in (3, 4)]
    assert symbols == ["w0", "w1"]
    assert store.information("w0") == "größe; rm -rf"
    assert store.type("w1") == WeightType((4,), np.dtype(np.int64))


def test_equal_small_arrays_share_a_symbol():
    store = WeightStore()
    first = store.add("a", np.zeros((2, 3), np.float32))
    assert store.add("b", np.zeros((2, 3), np.float32)) == first
    assert store.add("c", np.zeros((3, 2), np.float32)) != first
    assert store.add("d", np.zeros((2, 3), np.int32)) != first


def test_derived_arrays_are_computed_when_read():
    store = WeightStore()
    calls: list[int] = []

    def double(x: np.ndarray) -> np.ndarray:
        calls.append(1)
        return 2 * x

    source = store.add("a", np.arange(5))
    derived = store.derive("twice a", WeightType((5,), np.dtype(np.int64)), [source], double)
    assert not calls
    np.testing.assert_array_equal(store.array(derived), 2 * np.arange(5))
    assert store.type(derived).bytes == 40


def test_derived_array_of_another_type():
    store = WeightStore()
    source = store.add("a", np.arange(5))
    type = WeightType((4,), np.dtype(np.int64))
    derived = store.derive("b", type, [source], lambda x: x)
    with pytest.raises(CompileError, match="the computed weight b is"):
        store.array(derived)


def test_retain_keeps_what_is_computed_from():
    store = WeightStore()
    source, other = store.add("a", np.arange(5)), store.add("b", np.arange(6))
    derived = store.derive("c", store.type(source), [source], lambda x: x)
    store.retain([derived])
    assert list(store) == [source, derived]
    with pytest.raises(CompileError, match=f"weight @{other} is not in the store of 2 weights"):
        store.array(other)


def test_a_declared_weight_is_known_but_not_read() -> None:
    store, type = WeightStore(), WeightType((2, 3), np.dtype(np.float16))
    store.declare("w", type)
    assert store.type("w") == type
    with pytest.raises(CompileError, match="the elements of weight @w are not here"):
        store.array("w")
    with pytest.raises(CompileError, match="weight @w is defined twice"):
        store.declare("w", type)


def test_the_origin_of_a_weight_is_stored_and_computed_from_by_steps() -> None:
    store, sides = WeightStore(), WeightType((3, 2), np.dtype(np.float16))
    store.declare("w", WeightType((2, 3), np.dtype(np.float16)))
    turned = store.derive("t", sides, ["w"], np.transpose)
    twice = store.derive("d", sides, [turned], np.negative)
    assert store.origin("w") == ("w", ())
    assert store.origin(twice) == ("w", (np.transpose, np.negative))
    both = store.derive("b", sides, [turned, twice], np.add)
    with pytest.raises(CompileError, match=f"weight @{both} is computed from 2 weights"):
        store.origin(both)
