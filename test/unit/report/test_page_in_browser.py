"""How a browser lays a page out: headless Chromium measures the boxes of its texts."""

import json
import os
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from layer_models import analysis

from dlc.report.analyses.layer_page import layer_page

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
BODY = """m (float[1, 16, 12, 12] x) => (float[1, 16, 12, 12] y) {
[start_of_all] a = Relu(x)
[a_convolution_with_a_very_long_name_of_its_own_at_the_middle] b = Conv<pads = [1, 1, 1, 1]>(a, u)
[beside] c = Conv(a, v)
[another] d = Conv<pads = [1, 1, 1, 1]>(b, u)
[WWWWWWWWWWWW] y = Add(c, d) }"""
MEASURE = """<script>
const shown = [...document.querySelectorAll("svg")].map(svg => {
  const box = e => (r => [r.left, r.top, r.right, r.bottom])(e.getBoundingClientRect());
  const all = name => [...svg.querySelectorAll(name)].map(e => [e.textContent, box(e)]);
  return {frame: box(svg), texts: all("text"), bars: all("rect.time, rect.other, rect.total")};
});
document.body.innerHTML = "<pre>" + JSON.stringify(shown).replace(/&/g, "&amp;")
  .replace(/</g, "&lt;") + "</pre>";
</script></body>"""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def laid_out(page: str, folder: Path) -> list[dict[str, Any]]:
    """Return of each chart its box, and the boxes of its texts and bars."""
    assert BROWSER is not None
    path = folder / "page.html"
    path.write_text(page.replace("</body>", MEASURE))
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    words = [*options, f"--user-data-dir={folder / 'profile'}", "--window-size=1200,1000"]
    command = [BROWSER, *words, "--dump-dom", path.as_uri()]
    environment = {**os.environ, "HOME": str(folder)}
    found = subprocess.run(command, capture_output=True, check=True, env=environment, timeout=120)
    match = re.search("<pre>(.*?)</pre>", found.stdout.decode(), re.S)
    assert match is not None
    return json.loads(unescape(match[1]))


def meet(one: Box, other: Box) -> bool:
    """Return whether two boxes have more than a pixel in common."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    return across > 1 and min(one[3], other[3]) - max(one[1], other[1]) > 1


def pages() -> dict[str, str]:
    report = analysis(BODY, {"u": (16, 16, 3, 3), "v": (16, 16, 1, 1)})
    layers = [
        {**layer, "library_us": {"us": 1.5, "by": "cudnn", "measured": True}, "profile_us": 9.0}
        for layer in report["layers"]
    ]
    bounds = {**report["bounds"], "joined_parallel_us": 7.0}
    swept = [{**report, "batch": size, "bounds": bounds} for size in (1, 8, 64)]
    return {
        "plain": layer_page(report),
        "all times": layer_page({**report, "layers": layers, "bounds": bounds}),
        "sweep": layer_page({**swept[0], "batches": swept}),
    }


@pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed")
def test_texts_meet_neither_each_other_nor_bars_skipped_without_chromium(tmp_path: Path) -> None:
    for name, page in pages().items():
        charts = laid_out(page, tmp_path)
        assert len(charts) >= 4, name
        for chart in charts:
            texts = chart["texts"]
            for place, (said, box) in enumerate(texts):
                assert chart["frame"][0] - 1 <= box[0] < box[2] <= chart["frame"][2] + 1, said
                others = [*texts[place + 1 :], *chart["bars"]]
                assert not [other for other, its in others if meet(box, its)], said
