"""A common word floods the graph, and the 15% rule."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from workbench.graph import tag_graph
from workbench.methods.base import Words
from workbench.methods.tags import Stopwords
from workbench.ui import learn_parts as parts
from workbench.ui.learn_stop import RANK_OPTIONS, Prediction, Scene, Stop, rank_option, rank_words, stops
from workbench.ui.node_panel import plain
from workbench.words import counted


@dataclass(frozen=True)
class WordRow:
    """A word of the question: in how many notes it is, how many a tag with it reaches, and whether the filter drops it."""

    word: str
    notes: int
    reached: int
    is_dropped: bool


def word_rows(scene: Scene) -> list[WordRow]:
    """Words of the question that any tag has, the most frequent first."""
    memory, config = scene.opened.memory, Stopwords.Config()
    words, graph = Words(scene.question.text, memory, config), tag_graph(memory, config)
    rows = []
    for word in words.query.distinct:
        reached = {row for tag in graph.match((word,)) for row in graph.notes_of_tag[tag]}
        if reached:
            frequency, dropped = words.index.frequency(word), word in words.query.dropped
            rows.append(WordRow(words.query.spoken[word], frequency, len(reached), dropped))
    return sorted(rows, key=lambda row: (-row.notes, row.word))


class CommonWord(Stop):
    """One word that is everywhere hides the one that tells."""

    order = 20
    title = "A common word floods the graph"
    claim = (
        "A word that many notes share leads to all of them. `tag_basic` follows every word of the question; `tag_stopwords` "
        "first drops those in **more than 15%** of the notes."
    )
    case = "longmemeval_demo/demo_common_word"
    page = "compare"
    methods = ("tag_basic", "tag_stopwords")

    def holds(self, scene: Scene) -> bool:
        flooded = scene.rank("tag_basic")
        return (
            scene.rank("tag_stopwords") == 1 and (flooded is None or flooded > 5) and any(r.is_dropped for r in word_rows(scene))
        )

    def prediction(self, scene: Scene) -> Prediction:
        asked = "`tag_basic` follows every word. Where does it rank the note that answers?"
        return Prediction(asked, RANK_OPTIONS, rank_option(scene.rank("tag_basic")))

    def before(self, scene: Scene) -> None:
        parts.question(scene)
        frame = [{"Word": r.word, "Notes with it": r.notes, "Notes that its tags reach": r.reached} for r in word_rows(scene)]
        st.caption(f"The words of the question that are in tags, over {counted(len(scene.opened.memory), 'note')}")
        st.dataframe(pd.DataFrame(frame), hide_index=True, placeholder="", key="learn-words", width=560)

    def after(self, scene: Scene) -> None:
        found = {name: scene.ranking(name) for name in ("tag_basic", "tag_stopwords")}
        parts.rankings(scene, "common", found)

    def told(self, scene: Scene) -> str:
        notes = len(scene.opened.memory)
        dropped = [row for row in word_rows(scene) if row.is_dropped]
        kept = [row for row in word_rows(scene) if not row.is_dropped]
        said = ", ".join(f"*{plain(row.word)}* ({row.notes} of {notes} notes)" for row in dropped)
        left = ", ".join(f"*{plain(row.word)}* ({row.notes})" for row in kept)
        basic, filtered = (rank_words(scene.rank(name)) for name in ("tag_basic", "tag_stopwords"))
        return (
            f"The flood: {said}. All these notes count as direct matches, newer ones first, and the answer is {basic}. "
            f"The rule drops what is in more than 15%, and leaves {left}: now it is {filtered}."
        )


stops.register("common_word")(CommonWord())
