"""What a sweep is: a swept value, its points, and the arms of a run over them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from workbench.evaluate.ablations import arm
from workbench.evaluate.runs import MethodSpec
from workbench.methods.base import methods
from workbench.registry import Registry
from workbench.settings import Profile

Scale = Literal["linear", "log", "category"]
Point = float | str
"""A number, or a name such as ``root`` or ``all``."""


@dataclass(frozen=True)
class Options:
    """What of a sweep may be chosen; None takes the sweep's own points and methods.

    ``methods`` are labels of arms such as ``bm25`` or ``adaptive - diffusion``; ``overrides`` maps a method to fields that hold
    at every point. ``seeds`` is how many samples a point takes where points are sampled (ours: 3).
    """

    points: Sequence[str] | None = None
    methods: Sequence[str] | None = None
    seeds: int = 3
    profile: Profile = "default"
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.seeds < 1:
            raise ValueError(f"seeds is {self.seeds}; it is a number of samples, 1 or more")

    def arm(self, label: str) -> MethodSpec:
        """A method of the sweep as it is at every point."""
        return arm(label, self.profile, self.overrides.get(label.split(" ")[0]))


@dataclass(frozen=True)
class Sweep(ABC):
    """A sweep.

    Attributes
    ----------
    name, help : str
        ``help`` says in one line what is moved.
    axis, scale : str
        The swept value with its unit, and how it is drawn.
    points : tuple
        The default ones; ``source`` says where they come from.
    compared : tuple of str
        Labels of the default arms.
    """

    name: str
    help: str
    axis: str
    scale: Scale
    points: tuple[Point, ...]
    source: str
    compared: tuple[str, ...]

    samples: ClassVar[bool] = False
    """Whether points are drawn at random, so that seeds matter."""

    @property
    def methods(self) -> tuple[str, ...]:
        """Those of the default arms that can be swept here; where there is none, the sweep is not offered."""
        return tuple(label for label in self.compared if label.split(" ")[0] in methods)

    @abstractmethod
    def arms(self, options: Options) -> list[MethodSpec]:
        """The arms of a run: every method at every point, and under every seed.

        Raises
        ------
        KeyError
            For an unknown method.
        ValueError
            For a point that does not fit, or a method that lacks what is swept.
        """


sweeps: Registry[Sweep] = Registry("sweep", "workbench.evaluate.sweeps", "workbench.sweeps")


def offered() -> dict[str, Sweep]:
    """The sweeps that some registered method takes part in."""
    return {name: sweep for name, sweep in sweeps.items() if sweep.methods}


def at(spec: MethodSpec, sweep: str, value: Point, seed: int | None = None) -> MethodSpec:
    """An arm under its own label at a point: what `sweep_table` reads back from the run."""
    place = f"{sweep}={value}" + (f" seed={seed}" if seed is not None else "")
    point = {**spec.point, "sweep": sweep, "value": value, "arm": spec.arm, "seed": seed}
    return replace(spec, label=f"{spec.arm} @ {place}", point=point)
