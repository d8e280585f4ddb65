"""The table for people: a terminal shows it, and so does the log of a runner, which looks for commands in it."""
from rules.github import stray_commands
from rules.text import decoded, unsafe_characters


def check(data, case):
    text, problems = decoded(data)
    problems += unsafe_characters(text) + stray_commands(text)
    if "\t" in text or not text.endswith("\n"):
        problems.append("a tab, or a last line without its end")
    last = text.rstrip("\n").rsplit("\n", 2)[-2:]
    words = {"error": "ERROR", "fail": "FAIL", "inconclusive": "UNDECIDED"}
    if not any(line.startswith(words.get(case["status"], "PASS") + "  ") for line in last):
        problems.append(f"no verdict in {last!r}")
    return problems


ACCEPTED = b"  FAIL  kernel::a  time  T\nFAIL  1 entry breaks 1 limit\n"
REFUSED = {
    "an escape sequence": (b"kernel", b"\x1b[31mkernel"),
    "a command": (b"  time", b"\n    ::error::y"),
    "an old command": (b"time", b"a ##[error]y"),
    "no verdict": (b"\nFAIL", b"\nPASS"),
    "a bidirectional control": (b"time", "\u202etime".encode()),
    "a tab": (b"  time", b"\ttime"),
}
