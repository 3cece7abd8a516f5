"""BM25 over the raw rounds of the 40 LongMemEval-S cases, against a bare script that shares no code with the project."""

from __future__ import annotations

import gzip
import json
import re
import unicodedata
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from workbench.datasets.read import read
from workbench.evaluate.runs import CaseInput, MethodSpec, evaluate_case
from workbench.evaluate.summary import mean
from workbench.notes import interactions
from workbench.records import Loaded, Note

MRR, RECALL_AT_5, NOTES = 0.8125, 0.7525, 9_728


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


def bare_rounds(case: dict) -> list[tuple[tuple, str, str]]:
    """(order key, session, text) of each round; a repeated session counts once, leading assistant turns go to the next round."""
    rounds, seen = [], set()
    for position, (session, date, turns) in enumerate(
        zip(case["haystack_session_ids"], case["haystack_dates"], case["haystack_sessions"], strict=True)
    ):
        if session in seen:
            continue
        seen.add(session)
        time = datetime.strptime(re.sub(r" \(\w+\)", "", date), "%Y/%m/%d %H:%M")
        groups: list[list[str]] = []
        has_user = False
        for turn in turns:
            if not groups or (turn["role"] == "user" and has_user):
                groups.append([])
                has_user = False
            has_user |= turn["role"] == "user"
            groups[-1].append(turn["content"])
        rounds += [((time, position, number), session, " ".join(group)) for number, group in enumerate(groups, 1)]
    return rounds


def bare_case(case: dict) -> tuple[int, float, float]:
    rounds = sorted(bare_rounds(case))
    table = BM25Okapi([words(text) for _, _, text in rounds])
    scores = table.get_scores(words(case["question"]))
    newest_first = sorted(range(len(rounds)), key=lambda at: (-float(f"{scores[at]:.12g}"), -at))
    sessions = list(dict.fromkeys(rounds[at][1] for at in newest_first))[:40]
    gold = set(case["answer_session_ids"])
    ranks = [rank for rank, session in enumerate(sessions, 1) if session in gold]
    return len(rounds), 1 / ranks[0] if ranks else 0.0, len(gold & set(sessions[:5])) / len(gold)


def test_equals_a_bare_rank_bm25_script(real_data: Path) -> None:
    file = real_data / "longmemeval" / "longmemeval_s_subset.json.gz"
    bare = np.array([bare_case(case) for case in json.loads(gzip.decompress(file.read_bytes()))])
    assert bare[:, 0].sum() == NOTES
    assert bare[:, 1].mean() == pytest.approx(MRR, abs=5e-4)
    assert bare[:, 2].mean() == pytest.approx(RECALL_AT_5, abs=5e-4)

    spec = MethodSpec("bm25", overrides={"normaliser": "simple", "index_fields": ("user", "assistant")})
    results, notes = [], 0
    for loaded in read(file):
        assert isinstance(loaded, Loaded)
        case_notes = tuple(Note(each) for each in interactions(loaded.case))
        notes += len(case_notes)
        results += evaluate_case(CaseInput(loaded.case, case_notes, ""), [spec]).results
    assert notes == NOTES
    assert mean(results, "mrr") == pytest.approx(bare[:, 1].mean(), abs=0.002)
    assert mean(results, "recall@5") == pytest.approx(bare[:, 2].mean(), abs=0.002)
