"""GitHub's Markdown of a job summary or a comment: whole rows, no HTML but ours, nothing that calls somebody.

Source: https://github.github.com/gfm/ (sections tables, code spans, autolinks, raw HTML).
"""
import re

from rules.text import decoded, unsafe_characters

MOST_BYTES = 60_000
OUR_TAGS = {"<br>", "<details>", "</details>", "<summary>", "</summary>"}
TABLES = {"| outcome | kernel | finding | lost a launch |": 4, "| kernel | limit |": 2}
# A backslash and what it escapes are one; only then may a bar end a cell.
PIECE = re.compile(r"\\[!-/:-@\[-`{-~]|.", re.DOTALL)


def cells_of(line):
    pieces = PIECE.findall(line)
    cells = [""]
    for piece in pieces:
        if piece == "|":
            cells.append("")
        else:
            cells[-1] += piece
    return cells[1:-1] if not cells[0].strip() and not cells[-1].strip() else None


def outside_of_code(text):
    """The text without its code spans. A span ends at a run of backticks as long as the one that began it."""
    out, at = "", 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            out += text[at:at + 2]
            at += 2
            continue
        run = re.match("`+", text[at:])
        if not run:
            out += text[at]
            at += 1
            continue
        end = re.compile("(?<!`)" + run.group() + "(?!`)").search(text, at + len(run.group()))
        if not end:
            return None
        out += "code"
        at = end.end()
    return out


def markup_problems(text, where):
    rest = outside_of_code(text)
    if rest is None:
        return [f"{where}: a code span has no end: {text[:120]!r}"]
    problems = [f"{where}: HTML {tag!r}" for tag in re.findall(r"<[^>]*>?", rest) if tag not in OUR_TAGS]
    rest = re.sub("<[^>]*>", "", rest).replace("**", "", 2)  # our own emphasis of an outcome
    rest = re.sub(r"\\[!-/:-@\[-`{-~]", "", rest)
    for what, pattern in (("a mention", r"@[A-Za-z0-9]"), ("a reference", r"#\d|\bGH-\d"), ("a link", r"://\w|\bwww\.|\]\("),
                          ("an entity", r"&(?!(?:amp|lt|gt);)"), ("emphasis", r"[*_~`\[\]]")):
        found = re.search(pattern, rest)
        if found:
            problems.append(f"{where}: {what}: {rest[max(0, found.start() - 30):found.end() + 30]!r}")
    return problems


def check(data, case):
    text, problems = decoded(data)
    problems += unsafe_characters(text)
    if len(data) > MOST_BYTES:
        problems.append(f"{len(data)} bytes")
    table, rows, left_out, lines = None, {2: 0, 4: 0}, 0, text.split("\n")
    for number, line in enumerate(lines):
        where = f"line {number + 1}"
        problems += markup_problems(line, where)
        if line in TABLES:
            table = TABLES[line]
        elif not line.startswith("|"):
            table = None
            more = re.fullmatch(r"(\d+) more in the JSON\.", line)
            left_out += int(more.group(1)) if more else 0
        elif not re.fullmatch(r"[|: -]+", line):
            cells = cells_of(line)
            if table is None or cells is None or len(cells) != table:
                problems.append(f"{where}: {len(cells or [])} cells: {line[:160]!r}")
            else:
                rows[table] += 1
    tags = "".join(outside_of_code(line) or "" for line in lines)
    for tag in ("details", "summary"):
        if tags.count(f"<{tag}>") != tags.count(f"</{tag}>"):
            problems.append(f"<{tag}> is not closed")
    if sum(rows.values()) + left_out != len(case["rows"]) and case["rows"]:
        problems.append(f"{rows} rows and {left_out} left out of {len(case['rows'])}")
    first = {"error": "**ERROR** ", "fail": "**FAIL** ", "inconclusive": "**UNDECIDED** "}.get(case["status"], "**PASS** ")
    if not lines[0].startswith(first):
        problems.append(f"begins with {lines[0][:60]!r}")
    if rows[4] == 0 and any(row["outcome"] in ("fail", "error") for row in case["rows"]):
        problems.append("no failure is shown")
    return problems


ACCEPTED = b"""**FAIL** 1 entry breaks 1 limit

`f` on h100

| outcome | kernel | finding | lost a launch |
|:--|:--|:--|--:|
| **fail** | `a\\|<b>` | T \\*x\\*, &lt;y&gt;<br>z | 1 us |
"""
REFUSED = {
    "raw HTML": (b"&lt;y&gt;", b"<img src=x>"),
    "a bar in code": (b"a\\|", b"a|"),
    "an escaped backslash before a bar": (b"a\\|", b"a\\\\|"),
    "a cell too many": (b"z |", b"z | |"),
    "a span without an end": (b"<b>`", b"<b>"),
    "a backtick in code": (b"<b>`", b"`<b>`"),
    "a mention": (b"z |", b"@everyone |"),
    "a reference": (b"z |", b"#12 |"),
    "a link": (b"z |", b"http://a.b |"),
    "a picture": (b"z |", b"![x](y) |"),
    "an entity": (b"z |", b"&nbsp; |"),
    "emphasis": (b"\\*x\\*", b"*x*"),
    "an open block": (b"us |\n", b"us |\n\n<details>\n"),
    "too long": (b"`f`", b"`" + b"f" * MOST_BYTES + b"`"),
    "another verdict": (b"**FAIL**", b"**PASS**"),
    "a row that is not there": (b"\n| **fail**", b"\n\n| **fail**"),
    "no row": (b"| **fail** | `a\\|<b>` | T \\*x\\*, &lt;y&gt;<br>z | 1 us |\n", b"1 more in the JSON.\n"),
}
