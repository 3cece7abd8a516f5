"""What TAGGRAPH reports and claims, as data: the numbers of its Table 1 and the orderings it reads from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.evaluate.runs import TABLE1

LME_S, ORACLE, CORE, STRESS = "LongMemEval-S", "LongMemEval (oracle)", "ATANT (Core)", "ATANT (Stress R2-R5)"
"""The rows of Table 1."""
NO_DIFFUSION, NO_SEEDING, NO_TIME_LINE = (f"adaptive - {switch}" for switch in ("diffusion", "file_seeding", "chronological"))
"""Arms of the component ablation (5.1)."""
PERMISSIVE = " (any text suffices)"
"""Suffix of the ATANT rows under the permissive criterion (F.1)."""


@dataclass(frozen=True, slots=True)
class Published:
    """A line of a published table: MRR by method or arm."""

    row: str
    extraction: str
    n: int | None
    mrr: Mapping[str, float | str]
    source: str = "Table 1"


def _line(row: str, extraction: str, n: int | None, *values: float | str) -> Published:
    return Published(row, extraction, n, dict(zip(TABLE1, values, strict=True)))


PUBLISHED = (
    _line(LME_S, "GPT-OSS", 500, 0.296, 0.404, 0.428, 0.768, 0.794, 0.880),
    _line(LME_S, "Qwen3-Small", 500, 0.263, 0.419, 0.435, 0.817, 0.847, 0.880),
    _line(LME_S, "Gemma", 500, 0.495, 0.706, 0.718, 0.844, 0.867, 0.880),
    _line(ORACLE, "all three", 500, 1.000, "0.996-0.998", 1.000, 1.000, 1.000, 0.990),
    _line(CORE, "GPT-OSS", 304, 0.682, 0.703, 0.691, 0.544, 0.641, 0.705),
    _line(CORE, "Qwen3-Small", 304, 0.729, 0.734, 0.708, 0.554, 0.631, 0.705),
    _line(CORE, "Gemma", 304, 0.677, 0.695, 0.682, 0.554, 0.640, 0.705),
    _line(STRESS, "GPT-OSS", 1531, 0.815, 0.821, 0.827, 0.821, 0.866, 0.847),
    _line(STRESS, "Qwen3-Small", 1531, 0.812, 0.816, 0.823, 0.809, 0.872, 0.847),
    _line(STRESS, "Gemma", 1531, 0.813, 0.822, 0.824, 0.826, 0.868, 0.847),
    Published(CORE, "GPT-OSS", 304, {"adaptive": 0.546, NO_DIFFUSION: 0.705}, "Table 4"),
    Published(CORE, "Qwen3-Small", 304, {"adaptive": 0.547, NO_DIFFUSION: 0.699}, "Table 4"),
    Published(CORE, "Gemma", 304, {"adaptive": 0.549, NO_DIFFUSION: 0.699}, "Table 4"),
    Published(CORE + PERMISSIVE, "GPT-OSS", 304, {"adaptive": 0.570, NO_DIFFUSION: 0.713}, "Table 4"),
    Published(CORE + PERMISSIVE, "Qwen3-Small", 304, {"adaptive": 0.574, NO_DIFFUSION: 0.714}, "Table 4"),
    Published(CORE + PERMISSIVE, "Gemma", 304, {"adaptive": 0.577, NO_DIFFUSION: 0.712}, "Table 4"),
)
"""Numbers of questions are those of the benchmarks; the paper states them for ATANT Core only."""
TAGS_PER_CASE = {"Gemma": 376.5, "GPT-OSS": 918.5, "Qwen3-Small": 1140.5}
"""Distinct tags per LongMemEval-S case (5.3); reuse is in an appendix that is not at hand."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that measured means can bear out or not.

    ``kind`` is "below" (``lower`` scores less than ``higher``), "not_above" (less or the same), "same" (equal on every question)
    or "at_least" (``higher`` reaches ``bound``).
    """

    row: str
    kind: str
    higher: str
    lower: str = ""
    bound: float | None = None
    source: str = "5"

    @property
    def text(self) -> str:
        """The claim as a short formula."""
        if self.kind == "at_least":
            return f"{self.higher} >= {self.bound}"
        sign = {"below": "<", "not_above": "<=", "same": "="}[self.kind]
        return f"{self.lower} {sign} {self.higher}"


AT_ZERO, AT_ZERO_NO_DIFFUSION = (f"{arm} @ distractors=0 seed=1" for arm in ("adaptive", NO_DIFFUSION))
"""Arms of the distractor sweep at its first point (6.1), where the seed draws nothing."""
CLAIMS = (
    Claim(LME_S, "below", "tag_stopwords", "tag_basic", source="5.2"),
    Claim(LME_S, "not_above", "tag_tfidf", "tag_stopwords", source="5.2"),
    Claim(LME_S, "below", "adaptive", "tag_tfidf", source="5.1"),
    Claim(LME_S, "below", "bm25", "adaptive", source="5.1"),
    Claim(LME_S, "below", "openclaw", "bm25"),
    Claim(LME_S, "below", "adaptive", NO_SEEDING, source="5.1"),
    Claim(LME_S, "below", NO_DIFFUSION, NO_SEEDING, source="5.1: file seeding is the largest component"),
    Claim(LME_S, "below", NO_TIME_LINE, NO_SEEDING, source="5.1: file seeding is the largest component"),
    Claim(LME_S, "below", "adaptive", NO_DIFFUSION, source="5.1"),
    Claim(LME_S, "same", AT_ZERO, AT_ZERO_NO_DIFFUSION, source="6.1"),
    *(Claim(ORACLE, "at_least", method, bound=0.99) for method in TABLE1),
    *(Claim(CORE, "below", method, "adaptive") for method in ("tag_basic", "tag_stopwords", "tag_tfidf", "bm25", "openclaw")),
    *(Claim(CORE, "below", "tag_stopwords", method) for method in ("tag_basic", "tag_tfidf", "bm25")),
    Claim(CORE, "below", NO_DIFFUSION, "adaptive", source="5.1"),
    Claim(CORE + PERMISSIVE, "below", NO_DIFFUSION, "adaptive", source="F.1"),
    *(Claim(STRESS, "below", "bm25", method) for method in ("tag_basic", "tag_stopwords", "tag_tfidf", "adaptive", "openclaw")),
)


def row_of(benchmark: str, case_id: str) -> str:
    """The row of Table 1 that a case belongs to, or its benchmark's own name where the paper has none.

    ATANT's rounds follow from the story's number: Core 1 to 50, R2 to R5 51 to 250.
    """
    if benchmark == "atant" and case_id.isdigit() and 1 <= int(case_id) <= 250:
        return CORE if int(case_id) <= 50 else STRESS
    return {"longmemeval_s": LME_S, "longmemeval_oracle": ORACLE}.get(benchmark, benchmark)
