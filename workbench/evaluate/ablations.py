"""Ablations: a method with parts switched off, singly and together (TAGGRAPH 5.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from workbench.evaluate.estimates import Estimate, arms_of, estimates
from workbench.evaluate.runs import MethodSpec
from workbench.evaluate.significance import PairedTest, check_measure, columns, holm, paired_tests
from workbench.methods.base import create, methods
from workbench.records import Run
from workbench.settings import Profile, ablation_switches

ALL_SUBSETS = 3
"""Up to this many switches every combination is an arm; with more, each alone and all together (ours)."""
LESS = " - "


def ablation(
    method: str = "adaptive",
    switches: Sequence[str] | None = None,
    profile: Profile = "default",
    overrides: Mapping[str, Any] | None = None,
) -> list[MethodSpec]:
    """The arms of an ablation: the full method first, then each part off alone, then combinations.

    Parameters
    ----------
    method : str
    switches : sequence of str, optional
        Parts to switch off; by default all that the method's configuration marks as such and that are on.
    profile, overrides
        Configuration of the full method.

    Raises
    ------
    KeyError
        For an unknown method.
    ValueError
        If the method has no such switch, or it is off in the full method already.
    """
    config = create(method, profile, overrides).config
    known = ablation_switches(methods[method].Config)
    chosen = list(switches) if switches is not None else [name for name in known if getattr(config, name)]
    if not chosen:
        raise ValueError(f"{method} has no part that can be switched off{f' but {known}, which are off' if known else ''}")
    for name in chosen:
        if name in known and not getattr(config, name):
            raise ValueError(f"{method}: {name} is off already in what was asked for: nothing would be taken away")
    sizes = range(len(chosen) + 1) if len(chosen) <= ALL_SUBSETS else (0, 1, len(chosen))
    return [without(method, off, profile, overrides) for size in sizes for off in combinations(chosen, size)]


def without(
    method: str, off: Sequence[str] = (), profile: Profile = "default", overrides: Mapping[str, Any] | None = None
) -> MethodSpec:
    """A method with parts switched off, labelled ``adaptive - diffusion``.

    Raises
    ------
    KeyError
        For an unknown method.
    ValueError
        For a part that is not an ablation switch of the method, listing those it has.
    """
    known = ablation_switches(methods[method].Config)
    for name in off:
        if name not in known:
            raise ValueError(f"{method} has no ablation switch {name!r}; it has: {', '.join(known) or 'none'}")
    settings = {**(overrides or {}), **dict.fromkeys(off, False)}
    return MethodSpec(method, profile, settings or None, LESS.join([method, *off]), point={"off": list(off)})


def arm(text: str, profile: Profile = "default", overrides: Mapping[str, Any] | None = None) -> MethodSpec:
    """The arm of a label such as ``bm25`` or ``adaptive - diffusion``.

    Examples
    --------
    >>> arm("adaptive - diffusion").overrides
    {'diffusion': False}
    """
    method, *off = (part.strip() for part in text.split(LESS))
    return without(method, off, profile, overrides)


@dataclass(frozen=True)
class AblationRow:
    """One arm against the full method.

    ``test`` is of this arm (first) against the full method (second) over the same questions, so that a negative difference is
    what its parts are worth; ``p_holm`` is its p after Holm's correction over the arms of the table. Both are None for the full
    method itself. ``acted`` of ``compared`` questions have another order among the notes that the run keeps of each.
    """

    arm: str
    off: tuple[str, ...]
    estimate: Estimate
    test: PairedTest | None
    p_holm: float | None
    acted: int
    compared: int


@dataclass(frozen=True)
class AblationTable:
    """The arms of an ablation in the run's order, the full method first."""

    method: str
    measure: str
    questions: int
    rows: tuple[AblationRow, ...]


def ablation_table(run: Run, measure: str = "mrr") -> AblationTable:
    """What each part of a method is worth, over the headline questions of an ablation run.

    Raises
    ------
    ValueError
        For a run of another kind, one without the full method, or a measure that it does not have.
    """
    if run.kind != "ablation":
        raise ValueError(f"run {run.id} is of kind {run.kind!r}; an ablation table needs one of kind 'ablation'")
    arms = arms_of(run)
    full = next((label for label in arms if not run.points[label]["off"]), None)
    if full is None:
        raise ValueError(f"run {run.id} has no arm with everything on; its arms: {', '.join(arms)}")
    check_measure(measure, run)
    arms = (full, *(label for label in arms if label != full))
    headline = [result for result in run.results if result.headline]
    keys, values = columns(headline, arms, measure)
    tests = paired_tests([(values[arm], values[full]) for arm in arms[1:]])
    corrected = holm([test.p for test in tests])
    rankings = {(result.method, result.case, result.question): result.note_ids for result in headline}
    rows = [
        AblationRow(
            arm,
            tuple(run.points[arm]["off"]),
            estimate,
            test,
            p,
            sum(rankings[arm, *key] != rankings[full, *key] for key in keys),
            len(keys),
        )
        for arm, estimate, test, p in zip(
            arms, estimates([values[arm] for arm in arms]), [None, *tests], [None, *corrected], strict=True
        )
    ]
    return AblationTable(run.points[full]["method"], measure, len(keys), tuple(rows))
