"""The strip of stages: for each method, how far the gold note came and what lost it, by shape, word and colour."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from workbench import colours
from workbench.diagnose.inquiry import Place
from workbench.diagnose.stages import Diagnosis, NoteTrace, sentence, stages
from workbench.ui.note_view import method_themed, themed
from workbench.words import visible

PASSED = {
    "stored": "stored",
    "extracted": "extracted",
    "tagged": "tagged alike",
    "filtered": "past the filter",
    "reached": "reached",
    "outscored": "on score",
    "diluted": "undiluted",
    "cut": "in top {k}",
}
"""What a stage is called where the note passed it; a check that is not here goes by its own name."""
LOST = {
    "stored": "not stored",
    "extracted": "not extracted",
    "tagged": "tagged otherwise",
    "filtered": "filtered",
    "reached": "not reached",
    "outscored": "outscored",
    "diluted": "diluted",
    "cut": "cut at {k}",
}
"""... and where it was lost there."""
MARKS = {"passed": "✓", "weakened": "◐", "lost": "✕", "not applicable": "–", "not available": "?"}
MEANINGS = {
    "passed": "passed",
    "weakened": "failed, but the note came in by another way",
    "lost": "lost here",
    "not applicable": "the method has no such stage",
    "not available": "can't be known",
}


def place_text(place: Place | None, candidates: int) -> str:
    """A rank of how many candidates.

    Examples
    --------
    >>> place_text(Place(3, 2, 6), 40), place_text(None, 40)
    ('3 of 40', 'not among 40')
    """
    return f"not among {candidates:,}" if place is None else f"{place.rank:,} of {candidates:,}"


def strip_html(traces: Mapping[str, NoteTrace], found: Mapping[str, Diagnosis]) -> str:
    """A table with a row for each method and under it what happened in one sentence."""
    k = next(iter(traces.values())).k
    heads = "".join(f"<th scope='col'>{_passed(check.stage, k)}</th>" for check in stages())
    rows = "".join(_row(name, trace, found[name].candidates) for name, trace in traces.items())
    lost, gone = themed(colours.SEED), themed(colours.KIND["topic"])
    return (
        f"<div class='stages' style='--lost:{lost};--found:{gone};--muted:{themed(colours.MUTED)}'>"
        f"<table><thead><tr><th scope='col'>method</th>{heads}<th scope='col'>rank</th></tr></thead>{rows}</table></div>"
    )


def _row(name: str, trace: NoteTrace, candidates: int) -> str:
    rank = escape(place_text(trace.place, candidates))
    said = escape(visible(sentence(trace)))
    state = "found" if trace.is_found else "lost" if trace.stage else "open"
    return (
        f"<tbody class='{state}'><tr class='line'>"
        f"<th scope='row' rowspan='2' style='border-left:4px solid {method_themed(name)}'>{escape(name)}</th>"
        f"{''.join(_cells(trace))}<td class='rank' rowspan='2'>{rank}{_beside(trace)}</td></tr>"
        f"<tr class='said'><td colspan='{len(stages())}'>{said}</td></tr></tbody>"
    )


def _beside(trace: NoteTrace) -> str:
    """The ranks that ties leave open, and the rank of the note's session."""
    place, lines = trace.place, []
    if place is not None and place.best < place.worst:
        lines.append(f"tied {place.best:,}–{place.worst:,}")
    if trace.session_rank is not None:
        lines.append(f"session {trace.session_rank}")
    return "".join(f"<div class='beside'>{line}</div>" for line in lines)


def _cells(trace: NoteTrace) -> Iterator[str]:
    order = [check.stage for check in stages()]
    if trace.is_found:
        yield f"<td colspan='{len(order) - 1}'><div class='through' title='not looked into: the note was found'></div></td>"
        yield f"<td class='cell found'>✓ {_passed('cut', trace.k)}</td>"
        return
    findings = {finding.stage: finding.status for finding in trace.findings}
    at = 0
    while at < len(order):
        stage, status = order[at], findings.get(order[at])
        if status == "lost":
            span = min(2, len(order) - at)  # its words are longer, and what comes after it is empty
            yield f"<td class='cell lost' colspan='{span}'>{MARKS[status]} {_lost(stage, trace.k)}</td>"
            at += span
            continue
        if status is None:
            yield "<td class='cell'></td>"
        else:
            yield (
                f"<td class='cell {status.replace(' ', '-')}' title='{_passed(stage, trace.k)}: {MEANINGS[status]}'>"
                f"{MARKS[status]}</td>"
            )
        at += 1


def _passed(stage: str, k: int) -> str:
    return escape(visible(PASSED.get(stage, stage)).replace("{k}", str(k)))


def _lost(stage: str, k: int) -> str:
    return escape(visible(LOST.get(stage, f"lost: {stage}")).replace("{k}", str(k)))


def legend(traces: Mapping[str, NoteTrace]) -> str:
    """What the marks mean, as far as they are drawn."""
    seen = {finding.status for trace in traces.values() if not trace.is_found for finding in trace.findings}
    return " · ".join(f"{MARKS[status]} {MEANINGS[status]}" for status in MARKS if status in seen)
