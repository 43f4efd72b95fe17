"""Which layers each of our groups computes."""

from layer_models import analysis

TWICE = """m (float[1, 8, 16, 16] x) => (float[1, 8, 4, 4] y) {
[one] a = LRN<size = 5>(x) [between] b = MaxPool<kernel_shape = [4, 4], strides = [4, 4]>(a)
[two] y = LRN<size = 5>(b) }"""
CHAIN = """m (float[64, 64] x) => (float[64, 64] y) {
[first] a = MatMul(x, w) [relu] b = Relu(a) [last] y = Neg(b) }"""


def test_a_group_has_each_layer_that_it_computes_once_in_order() -> None:
    (group,) = analysis(CHAIN, {"w": (64, 64)})["groups"]
    assert group == ["first", "relu", "last"]


def test_a_constant_that_two_layers_share_brings_neither_into_the_group_of_the_other() -> None:
    homes = [{*group} & {"one", "two"} for group in analysis(TWICE)["groups"]]
    assert {"one"} in homes
    assert {"two"} in homes
    assert {"one", "two"} not in homes
