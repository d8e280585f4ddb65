#!/usr/bin/env python3
"""The page that `roofline report --format html` writes, used as a reader would, in headless Chromium.

    browser_test.py PROGRAM SOURCE_DIR [--screenshots FOLDER]

Every interaction is made, and the page's state looked at. No line on the console, no request for anything but the page.
Exit 77 where there is no Chromium with its chromedriver.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import webdriver

CONTROL, ESCAPE, ENTER, RIGHT, DOWN = "\ue009", "\ue00c", "\ue007", "\ue014", "\ue015"
HOSTILE = ["</script><script>window.hacked=1</script>", "<img src=x onerror=window.hacked=2>", "\"'><svg onload=window.hacked=3>",
           "a\u202eb\u2066c", "<!--<script>", "javascript:window.hacked=4", "=cmd|' /C calc'!A0", "]]>&amp;&lt;", "\u0000\u001b[31m", "x" * 100_000]


def kernel(name, number):
    time_s = 1e-3 / (1 + number)
    return {"name": name, "launches": 1, "bytes": 10**6 * (1 + number % 97), "flops": 10**8 * (1 + number % 89),
            "pipe": "tensor:bf16" if number % 3 else "vector:fp32", "time_floor_s": time_s / (1 + number % 7 + 0.1),
            "bound": ["memory", "compute", "overhead"][number % 3], "limiter": "dram",
            "measured": {"time_s": time_s, "timing": "kernel", "status": "near" if number % 2 else "under_roof"}}


def result(names):
    ceilings = [{"resource": "dram", "kind": "datasheet", "value": 3.35e12, "unit": "B/s"},
                {"resource": "tensor:bf16", "kind": "datasheet", "value": 989.4e12, "unit": "FLOP/s"},
                {"resource": "vector:fp32", "kind": "datasheet", "value": 66.9e12, "unit": "FLOP/s"}]
    return {"schema": "roofline.result/1", "gpu": {"id": "h100-sxm5-80gb", "name": "NVIDIA H100 SXM5 80GB", "ceilings": ceilings},
            "kernels": [kernel(name, i) for i, name in enumerate(names)]}


class Pages:
    """Pages made by the program, and what is asked of each."""

    def __init__(self, program, source, folder):
        self.program, self.folder = program, folder
        self.layer = self.page(source / "examples/results/layer.json", "layer")
        self.hostile = self.page(self.save(result(HOSTILE), "hostile"), "hostile")
        self.large = self.page(self.save(result([f"kernel_{i}<T{i % 50}>" for i in range(10_000)]), "large"), "large")

        self.panels = self.page(source / "examples/results/layer.json", "panels", "--panels", "dtype", "--levels")
        self.context = self.gated(source / "examples/results")

    def gated(self, results):
        """With what a gate said, and the history of its kernels."""
        verdicts = self.folder / "verdicts.json"
        done = subprocess.run([self.program, "gate", results / "layer.gate.yml", results / "layer.json", "-qq", "--report", f"json={verdicts}"], check=False)
        assert done.returncode == 1, "two of its limits are broken on purpose"
        return self.page(results / "layer.json", "context", "--gate-result", verdicts, "--history", results / "history")

    def save(self, value, name):
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps(value))
        return file

    def page(self, source, name, *options):
        file = self.folder / f"{name}.html"
        subprocess.run([self.program, "report", source, "--format", "html", "-o", file, *options], check=True)
        return file


ROWS = "return [...document.querySelectorAll('.table tbody tr[data-k]')].map(r => Number(r.dataset.k))"
GONE = "return document.querySelectorAll('.marks g.gone').length"
DIM = "return document.querySelectorAll('.marks g.dim').length"
CATCH = "window.saved = []; URL.createObjectURL = b => (window.saved.push(b), '#')"


def load(browser, page, tail=""):
    browser.open("about:blank")
    browser.open(f"file://{page}{tail}")
    assert browser.run("return document.documentElement.dataset.ready") == "1", "the script did not run to its end"


def check_quiet(browser, page):
    """Nothing on the console, and no request but the page itself."""
    lines = [line["message"] for line in browser.log("browser")]
    assert not lines, lines
    for entry in browser.log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] != "Network.requestWillBeSent":
            continue
        url = message["params"]["request"]["url"]
        assert url.startswith((f"file://{page}", "about:", "blob:", "data:")), url


def check_sort(browser, pages):
    load(browser, pages.layer)
    assert browser.run(ROWS) == list(range(1, 11))
    browser.click("th[data-key=win] button")  # figures: the largest first
    first = browser.run(ROWS)
    assert first[0] == 3 and browser.run("return document.querySelector('th[data-key=win]').getAttribute('aria-sort')") == "descending", first
    browser.click("th[data-key=win] button")
    assert browser.run("return document.querySelector('th[data-key=win]').getAttribute('aria-sort')") == "ascending"
    browser.click("th[data-key=name] button")
    assert browser.run(ROWS)[0] == 2  # attention
    assert "sort=name" in browser.run("return location.hash")


def check_filter(browser, pages):
    load(browser, pages.layer)
    browser.type("/")
    browser.type("silu")
    assert browser.run(ROWS) == [3]
    assert browser.run(GONE) == 7  # of 8 marks
    browser.type(ESCAPE)
    load(browser, pages.layer, "#q=gemm&sort=-time")
    assert browser.run(ROWS) == [9], "a view comes back with its address"
    browser.run("document.querySelector('input[type=search]').value = ''; document.querySelector('input[type=search]').dispatchEvent(new Event('input'))")
    assert len(browser.run(ROWS)) == 10


def check_chips(browser, pages):
    load(browser, pages.layer)
    browser.run("[...document.querySelectorAll('.tools button')].find(b => b.textContent === 'compute').click()")
    assert browser.run(ROWS) == [1, 2]
    browser.run("[...document.querySelectorAll('.tools button')].find(b => b.textContent === 'memory').click()")
    assert len(browser.run(ROWS)) > 4, "chips of one group add up"


def check_slider(browser, pages):
    load(browser, pages.layer)
    browser.run("const r = document.querySelector('input[type=range]'); r.value = 60; r.dispatchEvent(new Event('input'))")
    assert browser.run(ROWS) == [1, 2], "35 % and 33 % of the time cover 60 %"


def check_hover(browser, pages):
    load(browser, pages.layer)
    browser.point(".marks g[data-k='3'] circle:last-of-type")
    assert browser.run("return document.querySelector('tr.on').dataset.k") == "3"
    text = browser.run("const t = document.querySelector('.tip'); return t.hidden ? '' : t.textContent")
    for words in ("3 silu_mul", "0.8333 FLOP/B", "32 %", "1.90x", "899.3 us"):
        assert words in text, (words, text)


def check_pick(browser, pages):
    load(browser, pages.layer)
    browser.point(".marks g[data-k='3'] circle:last-of-type", click=True)
    assert browser.run(ROWS) == [3] and browser.run(DIM) == 7
    browser.run("document.querySelector(\".marks g[data-k='2']\").dispatchEvent(new MouseEvent('click', {bubbles: true, ctrlKey: true}))")
    assert browser.run(ROWS) == [2, 3]
    browser.type(ESCAPE)
    assert len(browser.run(ROWS)) == 10 and browser.run(DIM) == 0
    browser.point(".table tbody tr[data-k='4']", click=True)
    assert browser.run(ROWS) == [4]


def check_keys(browser, pages):
    load(browser, pages.layer)
    browser.type(RIGHT)
    assert browser.run("return document.activeElement.dataset.k") == "1"
    browser.type(DOWN)
    assert browser.run("return document.activeElement.dataset.k") == "2"
    browser.type(ENTER)
    assert browser.run(ROWS) == [2]
    browser.type(ESCAPE)
    light = browser.run("return getComputedStyle(document.body).backgroundColor")
    browser.type("t")
    assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 23)" != light
    browser.type("?")
    assert browser.run("return document.getElementById('help').open")


def check_columns(browser, pages):
    load(browser, pages.layer)
    before = browser.run("return document.querySelectorAll('.table thead th').length")
    browser.click("details summary")
    browser.click("details label input")
    assert browser.run("return document.querySelectorAll('.table thead th').length") == before - 1
    assert "hide=" in browser.run("return location.hash")


def check_exports(browser, pages):
    load(browser, pages.layer)
    browser.run(CATCH)
    browser.type("/silu")
    for name in ("SVG", "CSV", "JSON"):
        browser.run("[...document.querySelectorAll('.tools button')].find(b => b.textContent === arguments[0]).click()", name)
    svg, csv, document = browser.run_async("const done = arguments[0]; Promise.all(window.saved.map(b => b.text())).then(done)")
    assert svg.startswith("<svg") and "var(" not in svg and "silu_mul" in svg and 'data-k="1"' not in svg
    lines = csv.strip().split("\n")
    assert len(lines) == 2 and lines[0].startswith("number,name,bound") and ",silu_mul," in lines[1], csv
    assert [k["name"] for k in json.loads(document)["kernels"]] == ["silu_mul"]


CARDS = "return [...document.querySelectorAll('.runs > div')].filter(c => c.offsetParent).map(c => Number(c.dataset.k))"


def check_gate(browser, pages):
    load(browser, pages.context)
    assert browser.run("return document.querySelector('.status.fail dd').textContent") == "FAIL"
    assert browser.run("return document.querySelectorAll('ul.gate li').length") == 2
    browser.run("[...document.querySelectorAll('.tools button')].find(b => b.textContent === 'gate: fail').click()")
    assert browser.run(ROWS) == [3], "silu_mul breaks its limits"
    assert "only=gate" in browser.run("return location.hash")


def check_history(browser, pages):
    load(browser, pages.context)
    assert browser.run(CARDS) == [1, 2, 3, 7]
    assert browser.run("return document.querySelectorAll('.runs > div[data-k=\"3\"] svg line').length") == 2, "its step and its limit"
    browser.type("/silu")
    assert browser.run(CARDS) == [3], "filtered with the table"
    browser.type(ESCAPE)
    load(browser, pages.context)
    browser.point(".runs > div[data-k='2'] svg", click=True)
    assert browser.run(ROWS) == [2] and browser.run(CARDS) == [2]
    browser.type(ESCAPE)
    assert browser.run(CARDS) == [1, 2, 3, 7]


def check_panels(browser, pages):
    """Small charts are linked with the table as one chart is."""
    load(browser, pages.panels)
    assert browser.run("return document.querySelectorAll('figure g.marks').length") == 2, "BF16 tensor and FP32 vector"
    assert browser.run("return document.querySelectorAll('figure g.marks > g').length") == 8
    assert browser.run("const b = document.querySelector('figure svg').viewBox.baseVal, r = [...document.querySelectorAll('figure svg text')].map(t => t.getBBox()); return r.every(t => t.y + t.height <= b.y + b.height)"), "nothing below the picture"
    browser.point(".marks g[data-k='3'] circle:last-of-type", click=True)
    assert browser.run(ROWS) == [3] and browser.run(DIM) == 7
    browser.type(ESCAPE)
    browser.type("/silu")
    assert browser.run(GONE) == 7


def check_print(browser, pages):
    """On paper: light, without tools, every column of every row within the page."""
    load(browser, pages.context)
    browser.type("t")  # dark on the screen
    assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 23)"
    browser.do("POST", "/window/rect", {"width": 794, "height": 1100})  # A4 at 96 dots an inch
    browser.print_media()
    try:
        assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert browser.run("return getComputedStyle(document.querySelector('.tools')).display") == "none"
        right = browser.run("return Math.max(...[...document.querySelectorAll('.table th, .table td, figure svg, .runs > div')].map(e => e.getBoundingClientRect().right))")
        assert right <= browser.run("return document.documentElement.clientWidth") + 1, f"{right} pixels wide: cut off on paper"
    finally:
        browser.print_media(False)
        browser.do("POST", "/window/rect", {"width": 1280, "height": 1000})


def check_print_of_all_rows(browser, pages):
    load(browser, pages.large)
    assert browser.run("return document.querySelectorAll('.table tbody tr').length") < 200
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.run("return document.querySelectorAll('.table tbody tr[data-k]').length") == 10_000
    browser.run("window.dispatchEvent(new Event('afterprint'))")
    assert browser.run("return document.querySelectorAll('.table tbody tr').length") < 200


def check_hostile(browser, pages):
    load(browser, pages.hostile)
    assert browser.run("return window.hacked") is None
    names = browser.run("return [...document.querySelectorAll('.table tbody tr td:nth-child(2)')].map(t => t.textContent)")
    assert HOSTILE[0] in names and HOSTILE[1] in names and len(names) == len(HOSTILE)
    assert not any("\u202e" in name or "\u2066" in name or "\x1b" in name for name in names)
    browser.run(CATCH)
    browser.run("[...document.querySelectorAll('.tools button')].find(b => b.textContent === 'CSV').click()")
    csv = browser.run_async("const done = arguments[0]; window.saved[0].text().then(done)")
    assert "\"'=cmd" in csv, "a spreadsheet must not run a name"


def check_large(browser, pages):
    begin = time.monotonic()
    load(browser, pages.large)
    opened = time.monotonic() - begin
    took = browser.run("const q = document.querySelector('input[type=search]'), t = performance.now(); q.value = 'kernel_77';"
                       "q.dispatchEvent(new Event('input')); document.body.offsetHeight; return performance.now() - t")
    assert browser.run("return document.querySelectorAll('.table tbody tr').length") < 200, "rows are windowed"
    assert browser.run("return document.querySelectorAll('.marks > g').length") == 2000
    browser.type(ESCAPE)
    ready = browser.run("return performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart")
    assert took < 1000, took
    browser.run("document.querySelector('.scroll').scrollTop = 5000 * 28")
    browser.run_async("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")
    return f"10 000 kernels: ready after {ready} ms ({opened:.1f} s with the driver), filter {took:.0f} ms"


CHECKS = [check_gate, check_history, check_sort, check_filter, check_chips, check_slider, check_hover, check_pick, check_keys, check_columns, check_exports,
          check_panels, check_print, check_print_of_all_rows, check_hostile, check_large]
PAGES = {check_gate: "context", check_history: "context", check_print: "context", check_panels: "panels", check_print_of_all_rows: "large", check_hostile: "hostile", check_large: "large"}


def check_without_scripts(pages):
    with webdriver.Browser(scripts=False) as browser:
        browser.open(f"file://{pages.layer}")
        source = browser.do("GET", "/source")
    assert "<noscript><div" in source and source.count("<tr>") >= 11, "the whole table without scripts"


def check_size(pages):
    text = pages.layer.read_text()
    for begin, end in (("<noscript>", "</noscript>"), ("<svg", "</svg>"), ('id="data">', "</script>")):
        text = text[:text.index(begin)] + text[text.index(end):]
    assert len(text.encode()) <= 60_000, f"{len(text.encode())} bytes without the data"
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "") and "https://" not in text
    return f"page without data: {len(text.encode())} bytes"


def take_screenshots(pages, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, size, dark in (("light", (1280, 1400), False), ("dark", (1280, 1400), True), ("narrow", (500, 1400), False), ("print", (794, 1240), True)):
        with webdriver.Browser(size=size) as browser:
            load(browser, pages.context)
            if dark:
                browser.type("t")
            if name == "print":
                browser.print_media()
            if name == "light":
                browser.point(".marks g[data-k='3'] circle:last-of-type")
            browser.screenshot(folder / f"html-{name}.png")
            if name == "print":
                browser.print_pdf(folder / "html-print.pdf")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    args = parser.parse_args()
    if not webdriver.available():
        print("SKIPPED: no chromium with chromedriver here; Debian: apt install chromium chromium-driver")
        return 77
    failed = []
    with tempfile.TemporaryDirectory() as name:
        pages = Pages(args.program.resolve(), args.source.resolve(), pathlib.Path(name))
        print(check_size(pages))
        with webdriver.Browser() as browser:
            for check in CHECKS:
                try:
                    said = check(browser, pages)
                    check_quiet(browser, getattr(pages, PAGES.get(check, "layer")))
                    print(f"ok    {check.__name__}{': ' + said if said else ''}")
                except AssertionError as error:
                    failed.append(check.__name__)
                    print(f"FAIL  {check.__name__}: {error}")
        check_without_scripts(pages)
        if args.screenshots:
            take_screenshots(pages, args.screenshots)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
