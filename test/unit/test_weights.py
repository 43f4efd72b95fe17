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
