"""RFC 4180, one record per assertion, and nothing that a spreadsheet takes for a formula."""
import csv as reader
import io

from rules.text import decoded, folded, plain, unsafe_characters

COLUMNS = ("id assertion outcome value lo hi limit unit value_text limit_text runs sessions floor_s time_s lost_s time_share "
           "reason text kernel file line").split()
NUMBERS = ("value", "lo", "hi", "limit", "runs", "sessions", "floor_s", "time_s", "lost_s", "time_share", "line")
TEXTS = ("id", "assertion", "value_text", "limit_text", "text", "kernel", "file")


def check(data, case):
    text, problems = decoded(data)
    problems += unsafe_characters(text)
    reader.field_size_limit(1 << 30)
    try:
        records = list(reader.reader(io.StringIO(text, newline=""), strict=True))
    except reader.Error as error:
        return problems + [f"csv: {error}"]
    if not records or records[0] != COLUMNS:
        return problems + [f"columns {records[:1]}"]
    if len(records) != len(case["rows"]) + 1 or text.count("\n") != len(records):
        problems.append(f"{len(records) - 1} records, {text.count(chr(10))} lines, {len(case['rows'])} assertions")
    for record, row in zip(records[1:], case["rows"]):
        if len(record) != len(COLUMNS):
            problems.append(f"{len(record)} cells")
            continue
        cells = dict(zip(COLUMNS, record))
        problems += [f"the cell {cells[c][:40]!r} is a formula" for c in TEXTS if cells[c][:1] in tuple("=+-@\t\r")]
        for column in filter(cells.get, NUMBERS):
            try:
                if abs(float(cells[column])) in (float("inf"),) or float(cells[column]) != float(cells[column]):
                    problems.append(f"{column} {cells[column]}")
            except ValueError:
                problems.append(f"{column} {cells[column][:40]!r}")
        if bool(cells["value"]) != row["finite"]:
            problems.append(f"value {cells['value']!r}")
        if (cells["assertion"], cells["outcome"]) != (row["assertion"], row["outcome"]):
            problems.append(f"{cells['assertion']} {cells['outcome']} instead of {row['assertion']} {row['outcome']}")
        for column, wanted in (("id", row["id"]), ("text", row["text"]), ("file", case["file"])):
            if folded(cells[column].removeprefix("'")) != plain(wanted).removeprefix("'"):
                problems.append(f"{column} {cells[column][:60]!r} instead of {plain(wanted)[:60]!r}")
    return problems


ACCEPTED = ",".join(COLUMNS).encode() + b'\na,b,fail,1.5,1,2,1,,"V ""x"", y",,3,,,,,,RF4101,T,k,f,1\n'
REFUSED = {
    "a formula": (b",k,f", b",=1+1,f"),
    "a cell too few": (b",k,f", b",f"),
    "a quote that ends early": (b'V ""x""', b'V "x""'),
    "another head": (b"outcome", b"result"),
    "not a number": (b",1,2,1", b",1,nan,1"),
    "a word for a number": (b",1,2,1", b",1,two,1"),
    "two lines": (b" y", b"\ny"),
    "a record too many": (b",f,1\n", b",f,1\n" + b"," * 20 + b"\n"),
    "another outcome": (b",fail,", b",pass,"),
    "no value": (b"1.5", b""),
}
