"""Uploads as files on disk, which readers of any kind take; they go with the visitor's session."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile


def folder() -> Path:
    """This visitor's folder for uploads."""
    if "upload-folder" not in st.session_state:
        st.session_state["upload-folder"] = tempfile.TemporaryDirectory(prefix="workbench-")
    return Path(st.session_state["upload-folder"].name)


def kept(file: UploadedFile) -> Path:
    """An upload under its own name, which takes part in recognising a format and names a run."""
    own = folder() / re.sub(r"[^A-Za-z0-9_-]+", "-", file.file_id)[:60]
    path = own / (Path(file.name).name or "upload")
    if not path.exists():
        own.mkdir(exist_ok=True)
        with path.open("wb") as out:
            shutil.copyfileobj(file, out)
    return path
