"""Which layer a text names."""

from dlc.analyze.profiles.names import Names

LAYERS = [
    {"name": "conv1", "results": ["2"]},
    {"name": "conv1/bias", "results": ["4"]},
]


def test_the_longest_name_in_a_text_counts() -> None:
    names = Names(LAYERS)
    assert names.of("fused conv1/bias") == 1
    assert names.of("conv1_nchwc") == 0
    assert names.of("myconv1") is None


def test_a_number_in_a_text_is_no_name() -> None:
    names = Names(LAYERS)
    assert names.of("2") == 0
    assert names.of("Conv_2") is None, "the node at place 2, which has no name"
