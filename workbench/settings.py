"""Named settings: every default with its meaning, its source and its paper-literal value, so that one command lists them all."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

Profile = Literal["default", "literal"]
C = TypeVar("C")
_SAME = object()
OURS = "ours"


def setting(
    default: Any,
    meaning: str,
    source: str = OURS,
    literal: Any = _SAME,
    *,
    least: float | None = None,
    most: float | None = None,
    below: float | None = None,
) -> Any:
    """A field of a frozen configuration.

    Parameters
    ----------
    default
        The product's value.
    meaning
        One line: what it does, with its unit or range.
    source
        Where the default comes from; "ours" where no source states it. A yes/no field whose source says "ablation" is a part
        that `ablation_switches` lists.
    literal
        The paper-literal value, where it differs from the default.
    least, most, below
        The range of a number: from ``least`` to ``most``, or to anything under ``below``; `check_ranges` refuses others.
    """
    said = {"meaning": meaning, "source": source, "literal": default if literal is _SAME else literal}
    return dataclasses.field(default=default, metadata={**said, "least": least, "most": most, "below": below})


def check_ranges(config: Any) -> None:
    """ValueError for a number outside its field's range; configurations call it when they are made."""
    for field in dataclasses.fields(config):
        value, (least, most, below) = getattr(config, field.name), (field.metadata[name] for name in ("least", "most", "below"))
        if (least is not None and value < least) or (most is not None and value > most) or (below is not None and value >= below):
            upper = f" to {most}" if most is not None else f" to below {below}" if below is not None else " or more"
            raise ValueError(f"{field.name} is {value}; it is {least}{upper}")


@dataclasses.dataclass(frozen=True, slots=True)
class Setting:
    """One configuration field as ``workbench defaults`` shows it."""

    owner: str
    name: str
    value: Any
    literal: Any
    meaning: str
    source: str


def settings_of(owner: str, config: type) -> list[Setting]:
    """All fields of a configuration class, in order."""
    return [
        Setting(owner, f.name, f.default, f.metadata["literal"], f.metadata["meaning"], f.metadata["source"])
        for f in dataclasses.fields(config)
    ]


def ablation_switches(config: type) -> tuple[str, ...]:
    """The parts of a method that an ablation turns off: its yes/no fields whose source says "ablation", in order."""
    hints = get_type_hints(config)
    return tuple(
        f.name for f in dataclasses.fields(config) if hints[f.name] is bool and "ablation" in f.metadata["source"].casefold()
    )


def configure(config: type[C], profile: Profile = "default", overrides: Mapping[str, Any] | None = None) -> C:
    """A configuration of a profile with some fields set; texts are read as the field's type.

    Raises
    ------
    ValueError
        For an unknown field or a value that does not fit, naming what would be accepted.
    """
    fields = {f.name: f for f in dataclasses.fields(config)}  # type: ignore[arg-type]
    if profile not in get_args(Profile):
        raise ValueError(f"profile {profile!r} is unknown; known: {', '.join(get_args(Profile))}")
    values = {name: f.metadata["literal"] for name, f in fields.items()} if profile == "literal" else {}
    hints = get_type_hints(config)
    for name, value in (overrides or {}).items():
        if name not in fields:
            raise ValueError(f"{config.__name__} has no field {name!r}; it has: {', '.join(fields)}")
        values[name] = _read(name, value, hints[name])
    return config(**values)


def _read(name: str, value: Any, hint: Any) -> Any:
    """The value as the hinted type; texts are parsed, anything else must fit as it is."""
    origin, choices = get_origin(hint), get_args(hint)
    if origin is Literal:
        if value not in choices:
            raise ValueError(f"{name}={value!r} is not one of {', '.join(map(str, choices))}")
        return value
    if origin is tuple:
        if not isinstance(value, str | list | tuple):
            raise ValueError(f"{name}={value!r} is not a list of names")
        items = [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else list(value)
        return tuple(_read(name, item, choices[0]) for item in items)
    if origin is typing.Union or origin is type(int | None):
        if value is None or str(value).casefold() == "none":  # as it is printed, and as it is typed
            return None
        return _read(name, value, next(choice for choice in choices if choice is not type(None)))
    if hint is bool:
        words = {"true": True, "false": False, "on": True, "off": False, "yes": True, "no": False, "1": True, "0": False}
        if isinstance(value, bool):
            return value
        if str(value).casefold() in words:
            return words[str(value).casefold()]
        raise ValueError(f"{name}={value!r} is not a yes/no value: give true or false")
    if hint is str:
        if not isinstance(value, str):
            raise ValueError(f"{name}={value!r} is not a text")
        return value
    try:
        number = hint(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}={value!r} is not a {hint.__name__}") from None
    if hint is int and not isinstance(value, str) and number != value:
        raise ValueError(f"{name}={value!r} is not a whole number")
    if hint is float and not math.isfinite(number):
        raise ValueError(f"{name}={value!r} is not a finite number")
    return number
