"""The JSON object in a model's output, also where it stands among other words."""

from __future__ import annotations

import json
import re
from typing import Any

_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_MOST_STARTS = 50
"""Opening braces at which an object is looked for (ours); bounds the work on an output of braces."""


def json_in(text: str) -> Any:
    """The JSON value that the text is, else the first object that stands in it: after thoughts, in a fence, among words.

    Raises
    ------
    ValueError
        If there is none, with a message that can be given back to the model.

    Examples
    --------
    >>> json_in('Here it is: {"a": [1]} as you wished')
    {'a': [1]}
    """
    text = _THOUGHTS.sub("", text).strip()
    if not text:
        raise ValueError("the answer is empty; answer with one JSON object")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        problem = error
    starts = [found.start() for found in re.finditer(r"\{", text)]
    for start in starts[:_MOST_STARTS]:
        try:
            value, _ = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        return value
    raise ValueError(f"the answer is no valid JSON ({problem}); answer with one JSON object and nothing else")
