"""What all formats share: UTF-8 without anything that moves a cursor or reorders a line."""
import re

# C0 without tab and newline, delete, C1, and what reorders or breaks a line (Unicode's bidirectional controls and its
# line and paragraph separators).
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def decoded(data):
    """The text, or what keeps it from being one."""
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        return "", [f"not UTF-8 at byte {error.start}: {data[max(0, error.start - 20):error.start + 20]!r}"]


def unsafe_characters(text):
    found = UNSAFE.search(text)
    return [f"{found.group()!r} at {found.start()}: {text[max(0, found.start() - 20):found.start() + 20]!r}"] if found else []


def plain(hex_text):
    """A name of cases.json as any reader may show it: what is no text is one U+FFFD, blanks are single."""
    return folded(bytes.fromhex(hex_text).decode("utf-8", "replace"))


def folded(text):
    text = re.sub("[\ufffe\uffff]", "\ufffd", text)  # which XML does not allow
    text = UNSAFE.sub("\ufffd", text.replace("\t", " ").replace("\n", " "))
    return re.sub(" +", " ", re.sub("\ufffd+", "\ufffd", text)).strip()


def is_cut_of(shown, whole):
    """Whether `shown` is `whole`, or its two ends with dots between them."""
    front, dots, back = shown.partition("...")
    return shown == whole or bool(dots) and whole.startswith(front.strip()) and whole.endswith(back.strip())
