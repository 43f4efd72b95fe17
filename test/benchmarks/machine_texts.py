"""Takes out of profiles what says which machine they were recorded on; readers need none of it."""

import csv
import io
import re
from typing import Any

_OF_TRACE = ("host_name", "traceName", "trace_id", "baseTimeNanoseconds")
_OF_TABLE = {"Process ID": "1", "Process Name": "python", "Host Name": "host"}
_METRICS = ("gpu__", "launch__")
"""Of a table those that stay; others are of the machine."""
_SYSTEMS_OWN = 1000
"""Numbers from here on are those of processes and threads; devices and streams have lower ones."""


def clean_trace(data: dict[str, Any]) -> dict[str, Any]:
    """Return a trace of PyTorch without the names and numbers of a machine, from time 0 on."""
    events = [dict(event) for event in data["traceEvents"] if event["ph"] != "M"]
    start = min(event["ts"] for event in events)
    numbers: dict[int, int] = {}
    for event in events:
        event["ts"] = round(event["ts"] - start, 3)
        for key in ("pid", "tid"):
            number = event.get(key)
            if isinstance(number, int) and number >= _SYSTEMS_OWN:
                event[key] = numbers.setdefault(number, _SYSTEMS_OWN + len(numbers))
    facts = {key: value for key, value in data.items() if key not in _OF_TRACE}
    return {**facts, "traceEvents": events}


def clean_table(text: str) -> str:
    """Return what ``ncu --csv`` printed without the names and numbers of a machine."""
    lines = text.splitlines()
    own = [re.sub(r"process \d+.*", "process 1", line) for line in lines if line.startswith("==")]
    heads, *rows = csv.reader(line for line in lines if line.startswith('"'))
    keep = [n for n, head in enumerate(heads) if "__" not in head or head.startswith(_METRICS)]
    found = io.StringIO()
    table = csv.writer(found, quoting=csv.QUOTE_ALL, lineterminator="\n")
    table.writerow(heads[n] for n in keep)
    for row in rows:  # the units of the wide form have no number
        table.writerow(_OF_TABLE.get(heads[n], row[n]) if row[0] else row[n] for n in keep)
    return "\n".join([*own, found.getvalue()])
