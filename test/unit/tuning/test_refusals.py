"""Schedules that cannot be taken, told to people."""

from dlc.tuning.refusals import Refusals


def texts(*refused: tuple[str, str, str]) -> list[str]:
    found = Refusals()
    for what, schedule, reason in refused:
        found.add(what, schedule, reason)
    return found.texts()


def test_what_one_schedule_has_is_told_of_it_alone() -> None:
    assert texts(("relu", "fast", "spills")) == ["relu with fast: spills"]


def test_of_several_with_one_reason_the_first_is_named_and_the_others_counted() -> None:
    two, three = ("relu", "slow", "spills"), ("relu", "odd", "spills")
    first = ("relu", "fast", "spills")
    assert texts(first, two) == ["relu with fast and 1 other schedule: spills"]
    assert texts(first, two, three) == ["relu with fast and 2 other schedules: spills"]


def test_each_reason_and_each_group_has_a_line_in_the_order_in_which_they_came() -> None:
    refused = (
        ("relu", "fast", "spills"),
        ("add", "fast", "spills"),
        ("relu", "odd", "hangs"),
        ("relu", "slow", "spills"),
    )
    assert texts(*refused) == [
        "relu with fast and 1 other schedule: spills",
        "add with fast: spills",
        "relu with odd: hangs",
    ]


def test_without_any_there_is_nothing_to_tell() -> None:
    assert texts() == []
