"""Whatever is wrong in a record, reading ends in cases, findings or BadInput, and every record is counted."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import SAMPLES

from workbench.datasets.base import datasets
from workbench.errors import BadInput
from workbench.notes import interactions, to_markdown
from workbench.records import Finding, Loaded, Note

JUNK = st.sampled_from(
    [
        None, True, False, 0, -1, 195, 1e308, 10**40, "", " ", "x", "D", "2023/13/45 (Foo) 99:99", "\ud800", "a\x00\x1b[31mb",
        "D1:1",
        [], [[]], [None], ["x"], [1, [2]], {}, {"x": 1}, {"role": "user"}, [{"role": []}], {"text": None}, "user", 1e12, [{}],
    ]
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, inner in items for place in places(inner, (*path, key)))]


def put(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    """A copy with one place replaced; removed if ``junk`` is Ellipsis."""
    if not path:
        return [junk] if junk is not ... else []
    value = copy.deepcopy(value)
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    if junk is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = junk
    return value


@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_one_wrong_value_never_crashes_and_no_record_is_lost(name: str, data: st.DataObject) -> None:
    sample = SAMPLES[name]
    broken = put(sample, data.draw(st.sampled_from(places(sample))), data.draw(st.one_of(st.just(...), JUNK)))
    content = [*broken, *sample] if name != "history" else broken
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.json"
        path.write_text(json.dumps(content))
        dataset = datasets[name]
        dataset.recognises(path)
        seen = 0
        try:
            for found in dataset.read(path):
                if isinstance(found, Finding):
                    seen += found.is_record
                    assert found.reason.isprintable(), found
                else:
                    assert isinstance(found, Loaded)
                    seen += found.kept + found.repaired + sum(one.is_record for one in found.findings)
                    assert (found.repaired > 0) == (len(found.findings) > 0)
                    for one in interactions(found.case):
                        to_markdown(Note(one)).encode()
                    hash(found.case)
        except BadInput as error:
            said = str(error)
        else:
            said = str(path)
            assert seen == len(content)
        assert str(path) in said
