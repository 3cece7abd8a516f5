"""What a note and a tag are."""

from __future__ import annotations

import streamlit as st

from workbench.records import Note
from workbench.text import Analyser
from workbench.ui import learn_parts as parts
from workbench.ui.graph_details import drawable
from workbench.ui.graph_scope import ego_view
from workbench.ui.learn_stop import Prediction, Scene, Stop, stops
from workbench.ui.node_panel import plain
from workbench.ui.note_view import show_note
from workbench.words import counted

HEIGHT = 420
LEAST = 6
"""Letters of an offered word: long enough to carry a meaning (ours)."""


def words_on_offer(note: Note) -> tuple[str, tuple[str, ...]]:
    """A word of the note's text that one of its What tags has, and two of the reply's that none of its tags has.

    The longest of each, the first of equally long ones.
    """
    analyser = Analyser()
    tagged = {word for path in note.extraction.paths for word in analyser.words(path)}
    topics = {word for path in note.extraction.what for word in analyser.words(path)}

    def longest(text: str, is_tagged: bool) -> list[str]:
        pairs = zip(analyser.surface(text), analyser.words(text), strict=True)
        fits = (said for said, word in pairs if (word in topics if is_tagged else word not in tagged))
        return sorted(dict.fromkeys(word for word in fits if len(word) >= LEAST or is_tagged), key=lambda word: -len(word))

    (with_tag, *_), without = longest(note.interaction.user, True), longest(note.interaction.assistant, False)
    return with_tag, tuple(without[:2])


class NoteAndTag(Stop):
    """A round of conversation, what the extractor makes of it, and the only words by which tags lead to it."""

    order = 10
    title = "A note and its tags"
    claim = (
        "A **note** is one round of a conversation: what the user said and the reply. **Tags** say who, what, when, where and "
        "why. A tag method finds a note through its tags alone, however much its text says."
    )
    case = "longmemeval_demo/demo_two_sessions"
    page = "graph"

    def holds(self, scene: Scene) -> bool:
        tagged, others = words_on_offer(self._note(scene))
        return len({tagged, *others}) == 3

    def prediction(self, scene: Scene) -> Prediction:
        tagged, others = words_on_offer(self._note(scene))
        options = tuple(sorted((tagged, *others)))
        return Prediction("By which of these words can tags lead to this note?", options, tagged)

    def before(self, scene: Scene) -> None:
        parts.said(scene, scene.gold_note)

    def after(self, scene: Scene) -> None:
        left, right = st.columns([1, 1.5])
        with left:
            show_note(self._note(scene), question=scene.question, is_gold=True, height=HEIGHT)
        with right:
            whole = drawable(scene.opened.memory)
            node = f"file:{scene.gold_note}"
            tags = [f"tag:{path}" for path in self._note(scene).extraction.paths]
            scope = ego_view(whole, [node, *tags], hops=1, limit=24, kinds=("tag", "topic", "file"), keep=[node])
            parts.graph(scope.graph, "note", frozenset({node}), frozenset(), len(whole) - len(scope.graph), HEIGHT)

    def told(self, scene: Scene) -> str:
        note, (tagged, others) = self._note(scene), words_on_offer(self._note(scene))
        count = counted(len(note.extraction.paths), "tag")
        missing = " and ".join(f"*{plain(word)}*" for word in others)
        return (
            f"The extractor gave this note {count}. *{plain(tagged)}* is in one of them, so a question that says it meets the "
            f"tag, then the topic, then the note. {missing} stand in the reply only: no tag has them, and no path begins there."
        )

    @staticmethod
    def _note(scene: Scene) -> Note:
        return scene.opened.memory[scene.gold_note]


stops.register("note_and_tag")(NoteAndTag())
