"""Files as text: compression, encodings and their damage, streamed chunk by chunk."""

from __future__ import annotations

import codecs
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from workbench.errors import BadInput

CHUNK_BYTES = 1 << 18
MAX_TEXT_CHARS = 64 << 20
"""The longest file that is read as a whole (stories, notes, transcripts); JSON is streamed and has no such limit."""
MAX_RATIO = 100
"""How many times its size a compressed file may unpack to (ours); texts reach 3 to 10, empty ones 1,000 and more."""
FREE_BYTES = 64 << 20
"""What any compressed file may unpack to, however small it is (ours)."""
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def stem(path: Path) -> str:
    """A file's name without ``.gz`` and its extension."""
    return Path(path.name.removesuffix(".gz")).stem if path.suffix != ".zip" else path.stem


def suffix(path: Path) -> str:
    """A file's extension in lower case, looked for under ``.gz``."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def files_in(folder: Path) -> list[Path]:
    """The files of a folder and of those inside it, by path; hidden ones and linked folders are passed over."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))


_OF_ZIPFILE = (NotImplementedError, UnicodeDecodeError, OverflowError, RuntimeError)
"""What the standard library's zipfile lets through for a damaged directory: methods, names, sizes, flags."""


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked if its first bytes say gzip; of a zip archive its ``conversations.json``.

    Raises
    ------
    BadInput
        If there is no such file, it can't be read, or an archive holds no ``conversations.json``.
    """
    if path.exists() and not path.is_file():
        raise BadInput(f"{path}: {'a folder' if path.is_dir() else 'no ordinary file'}; a file was expected")
    try:
        with path.open("rb") as raw:
            magic = raw.read(4)
            raw.seek(0)
            if magic[:2] == b"\x1f\x8b":
                with gzip.open(raw) as unpacked:
                    yield _Bounded(unpacked, path)  # type: ignore[misc,arg-type]
            elif magic == b"PK\x03\x04":
                with zipfile.ZipFile(raw) as archive, archive.open(_member(archive, path)) as member:
                    yield _Bounded(member, path)  # type: ignore[misc]
            else:
                yield raw
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile, *_OF_ZIPFILE) as error:
        raise BadInput(f"{path}: the compressed data is cut off or damaged ({error}); get the file again") from error
    except OSError as error:
        raise BadInput(f"{path}: can't be read: {error.strerror or error}") from error


class _Bounded:
    """An unpacked stream that ends in BadInput where it grows out of proportion: a few bytes can hold terabytes."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._stream, self._path = stream, path
        self._left = max(FREE_BYTES, MAX_RATIO * path.stat().st_size)

    def read1(self, size: int) -> bytes:
        data: bytes = self._stream.read1(size)  # type: ignore[attr-defined]
        self._left -= len(data)
        if self._left < 0:
            raise BadInput(
                f"{self._path}: unpacks to more than {MAX_RATIO} times its size and {FREE_BYTES >> 20} MiB, as no history does; "
                "unpack it and load what is inside"
            )
        return data


def _member(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    for info in archive.infolist():
        if Path(info.filename).name == "conversations.json":
            if info.flag_bits & 1:
                raise BadInput(f"{path}: the archive has a password; unpack it and load what is inside")
            return info
    raise BadInput(f"{path}: the archive holds no conversations.json; unpack it and load what is inside")


def _encoding(start: bytes) -> tuple[str, int]:
    """The encoding a file starts in and the length of its mark. JSON and our texts start with ASCII, so zeros tell UTF-16."""
    for mark, name in _BOMS:
        if start.startswith(mark):
            return name, len(mark)
    if start[:4:2] == b"\0\0" and 0 not in start[1:4:2]:
        return "utf-16-be", 0
    if start[1:4:2] == b"\0\0" and 0 not in start[:4:2]:
        return "utf-16-le", 0
    return "utf-8", 0


def chunks(path: Path) -> Iterator[str]:
    """The text of a file, piece by piece.

    A byte that is not UTF-8 comes out as a lone surrogate (``surrogateescape``), so that the record it stands in can be
    mended and reported where its text is taken over: see `workbench.datasets.mending.Mender.text`.
    """
    with opened(path) as stream:
        # read1, unlike read, hands over what it has before it meets the damage.
        start = b""
        while len(start) < 4 and (more := stream.read1(CHUNK_BYTES)):  # type: ignore[attr-defined]
            start += more
        name, mark = _encoding(start)
        decoder = codecs.getincrementaldecoder(name)("surrogateescape" if name == "utf-8" else "replace")
        yield decoder.decode(start[mark:])
        while data := stream.read1(CHUNK_BYTES):  # type: ignore[attr-defined]
            yield decoder.decode(data)
        yield decoder.decode(b"", final=True)


def whole_text(path: Path) -> str:
    """The text of a small file, without a byte-order mark.

    Raises
    ------
    BadInput
        If it has more than MAX_TEXT_CHARS characters, or as `opened`.
    """
    pieces, size = [], 0
    for piece in chunks(path):
        size += len(piece)
        if size > MAX_TEXT_CHARS:
            raise BadInput(f"{path}: a text file of more than {MAX_TEXT_CHARS:,} characters is not read as one history; split it")
        pieces.append(piece)
    return "".join(pieces)
