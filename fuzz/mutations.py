"""Ways to spoil a value, a text or a file; each takes its random generator, so that an input can be made again."""

from __future__ import annotations

import copy
import gzip
import io
import random
import re
import zipfile
from typing import Any

HOSTILE = (
    "\x00", "\x1b[31m", "\x07\x08", "\u202egnp.exe", "\u200b\u200d\ufeff", "שלום", "\ud800", "\udcff", "\ufffe", "\v\f", "\r\n",
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "{{x}}", "$x^2$", "'; DROP TABLE cases; --",
    "../../etc/x", "a/b/c/d", "#", "---", "## User", "null", "NaN", "1e999", "-0", "~", "&a *a", "!!python/object:os.system",
    "D1:1", "D:1:1",
    "2023/13/45 (Foo) 99:99", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "session_٣", "😀" * 3, "e\u0301" * 40,
    "9" * 5000, " " * 3000, "\\" * 501, '"', "[" * 200, "{" * 2000, "x" * 20_000, "User" + " " * 3000,
    "date:" + "\t" * 3000 + "'",
)  # fmt: skip
JUNK: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 1.5, -0.0, 1e308, float("nan"), float("inf"), 2**31, 2**63, 10**30, -(10**19), 10**4000,
    "", " ", "1", [], {}, [[]], [None], [{}], {"": ""}, {"role": "user"}, {"x": [1, {"y": None}]}, "user", "assistant",
)  # fmt: skip
_NUMBER = re.compile(r"\d+")


def text(rng: random.Random, given: str) -> str:
    """A text with something put in, cut out, doubled or exchanged, at one place."""
    at, end = sorted(rng.randrange(len(given) + 1) for _ in range(2))
    lines = given.split("\n")
    match rng.randrange(9):
        case 0 | 1:
            return given[:at] + rng.choice(HOSTILE) + given[at:]
        case 2:
            return given[:at] + given[end:]
        case 3:
            return given[:at] + given[at : at + 500] * rng.choice((2, 3, 20)) + given[at:]
        case 4:
            rng.shuffle(lines)
            return "\n".join(lines)
        case 5:
            number = rng.randrange(len(lines))
            return "\n".join(lines[:number] + lines[number : number + 1] * rng.choice((0, 2, 5)) + lines[number + 1 :])
        case 6:
            found = list(_NUMBER.finditer(given))
            if not found:
                return given + rng.choice(HOSTILE)
            one = rng.choice(found)
            number_text = rng.choice(("-1", "0", "00", "9" * 25, "9" * 5000, "1e5", "٣", "１", "x"))
            return given[: one.start()] + number_text + given[one.end() :]
        case 7:
            return given[:at] + rng.choice("[]{}\",:\\\n\t|;-#'&*") + given[at + 1 :]
        case _:
            return given[:at]


def value(rng: random.Random, given: Any) -> Any:
    """A copy of a JSON value with one place changed, removed, repeated or exchanged for another."""
    try:
        changed = [copy.deepcopy(given)]
    except RecursionError:  # nested by earlier changes
        return given
    places = list(_places(changed))
    holder, key = rng.choice(places)
    match rng.randrange(10):
        case 0 | 1 | 2:
            holder[key] = copy.deepcopy(rng.choice(JUNK))
        case 3:
            holder[key] = rng.choice(HOSTILE)
        case 4 | 5:
            old = holder[key]
            holder[key] = text(rng, old) if isinstance(old, str) else [old]
        case 6:
            if len(places) > 1 and holder is not changed:
                del holder[key]
        case 7:
            other, there = rng.choice(places)
            holder[key] = copy.deepcopy(other[there])
        case 8:
            if isinstance(holder, list) and holder is not changed:
                holder[key:key] = [holder[key]] * rng.choice((1, 2, 30))
            elif isinstance(holder, dict):
                holder[rng.choice((*HOSTILE, key.upper(), key + " ", "session_٣", "session_007"))] = holder.pop(key)
        case _:
            for _ in range(rng.choice((1, 3, 101))):
                holder[key] = [holder[key]] if rng.random() < 0.5 else {"x": holder[key]}
    return changed[0]


def _places(given: Any) -> Any:
    """(container, key) of everything inside."""
    stack = [given]
    while stack:
        holder = stack.pop()
        for key, inner in holder.items() if isinstance(holder, dict) else enumerate(holder):
            yield holder, key
            if isinstance(inner, (dict, list)):
                stack.append(inner)


def data(rng: random.Random, given: bytes) -> bytes:
    """Bytes with some of them changed, cut, put in or doubled; or the whole in another encoding."""
    at, end = sorted(rng.randrange(len(given) + 1) for _ in range(2))
    match rng.randrange(8):
        case 0:
            spoiled = bytearray(given or b"x")
            for _ in range(rng.choice((1, 1, 5, 50))):
                spoiled[rng.randrange(len(spoiled))] ^= 1 << rng.randrange(8)
            return bytes(spoiled)
        case 1:
            return given[:at]
        case 2:
            return given[:at] + rng.randbytes(rng.choice((1, 4, 300))) + given[at:]
        case 3:
            return given[:at] + given[end:]
        case 4:
            return (
                given[:at]
                + rng.choice((b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b"\r", b"\n\n"))
                + given[at:]
            )
        case 5:
            encoding = rng.choice(("utf-16", "utf-16-be", "utf-32", "utf-8-sig", "cp1252", "utf-7"))
            return given.decode("utf-8", "replace").encode(encoding, "replace")
        case 6:
            return given[:at] + given[at : at + 2000] * 3 + given[at:]
        case _:
            return given + given[at:]


def packed(rng: random.Random, given: bytes, name: str) -> bytes:
    """The bytes as gzip, or in a zip archive under a name, without the time of day in them; the container may be damaged."""
    if rng.random() < 0.5:
        made = gzip.compress(given, 1, mtime=0)
    else:
        held = io.BytesIO()
        method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
        with zipfile.ZipFile(held, "w", method) as archive:
            for number in range(rng.choice((0, 1, 40))):
                archive.writestr(zipfile.ZipInfo(f"other/é{number}.txt"), b"x", method)
            archive.writestr(
                zipfile.ZipInfo(rng.choice((name, f"export/{name}", "../" + name, "é" + name, name.upper()))), given, method
            )
        made = held.getvalue()
    return made if rng.random() < 0.3 else data(rng, made)
