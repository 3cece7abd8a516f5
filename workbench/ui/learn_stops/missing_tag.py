"""A missing tag and its repair."""

from __future__ import annotations

import streamlit as st

from workbench.diagnose.edits import AddTag, SetField
from workbench.diagnose.repair import Repair, rerun, search
from workbench.methods.base import Words, create
from workbench.methods.tags import Stopwords
from workbench.text import Analyser
from workbench.ui import learn_parts as parts
from workbench.ui.cached import OpenCase
from workbench.ui.learn_stop import Prediction, Scene, Stop, rank_words, stops
from workbench.ui.node_panel import plain
from workbench.ui.note_view import show_note
from workbench.words import counted

METHOD = "tag_stopwords"
PLACES = 5
ADD, FILTER, OTHER, NOTHING = OPTIONS = (
    "One more tag on this note",
    "A common word let through the filter",
    "Another change of tags or settings",
    "No small change does",
)


@st.cache_resource(max_entries=8, show_spinner="Searching repairs", hash_funcs={OpenCase: id})
def _smallest(opened: OpenCase, note_id: str) -> tuple[OpenCase, Repair | None, int]:
    """The smallest repair and how many edits were tried; the case's id is part of the cache's key."""
    methods = {METHOD: create(METHOD, memory=opened.memory)}
    found = search(opened.memory, opened.case.questions[0], note_id, methods, PLACES)
    return opened, found.smallest(METHOD), found.singles + found.pairs


def only_in_reply(scene: Scene) -> list[str]:
    """Words of the question, past the filter, that are in the gold note's reply and neither in the user's text nor in a tag."""
    note, config = scene.opened.memory[scene.gold_note], Stopwords.Config()
    words = Words(scene.question.text, scene.opened.memory, config).query
    analyser = Analyser(config.normaliser)
    elsewhere = {
        *analyser.words(note.interaction.user),
        *(word for path in note.extraction.paths for word in analyser.words(path)),
    }
    reply = {*analyser.words(note.interaction.assistant)} - elsewhere
    return [words.spoken[word] for word in words.kept if word in reply]


def smallest(scene: Scene) -> tuple[Repair | None, int]:
    """The smallest repair of the scene's gold note, and how many edits were tried."""
    return _smallest(scene.opened, scene.gold_note)[1:]


class MissingTag(Stop):
    """The note says it, the tags do not; one more tag brings it up."""

    order = 30
    title = "A missing tag, and its repair"
    claim = "What the extractor did not tag, a tag method can't find. The smallest **repair** shows that the tag was the cause."
    case = "longmemeval_demo/demo_missing_tag"
    page = "diagnose"

    def holds(self, scene: Scene) -> bool:
        rank, (repair, _) = scene.rank(METHOD), smallest(scene)
        return (rank is None or rank > PLACES) and repair is not None and isinstance(repair.edits[0], AddTag)

    def prediction(self, scene: Scene) -> Prediction:
        place = rank_words(scene.rank(METHOD))
        asked = f"With `{METHOD}` the note is {place}. What is the smallest change that brings it into the first five?"
        return Prediction(asked, OPTIONS, self._kind(scene))

    def before(self, scene: Scene) -> None:
        parts.question(scene)
        show_note(scene.opened.memory[scene.gold_note], frozenset(), scene.question, is_gold=True, height=300)

    def after(self, scene: Scene) -> None:
        repair, _ = smallest(scene)
        found = {METHOD: scene.ranking(METHOD)}
        if repair is not None:
            methods = {METHOD: create(METHOD, memory=scene.opened.memory)}
            edited = rerun(methods, repair.edits, scene.opened.memory)[METHOD]
            found[f"{METHOD}, repaired"] = edited.query(scene.question.text, k=None)
        parts.rankings(scene, "repair", found)

    def told(self, scene: Scene) -> str:
        repair, tried = smallest(scene)
        if repair is None:
            return f"None of {counted(tried, 'edit')} brings the note into the first five."
        outcome = next(each for each in repair.outcomes if each.method == METHOD)
        after = None if outcome.after is None else outcome.after.rank
        said = ", ".join(f"*{plain(word)}*" for word in only_in_reply(scene)) or "nothing of the question"
        edits = " and ".join(f"**{plain(str(edit))}**" for edit in repair.edits)
        return (
            f"Said in the reply only, and in no tag: {said}. Of {counted(tried, 'edit')} that were tried by running the method "
            f"again, the smallest that works is: {edits}. "
            f"The note comes in {rank_words(after)}. The edit is made on a copy; the stored note stays as it is."
        )

    @staticmethod
    def _kind(scene: Scene) -> str:
        repair, _ = smallest(scene)
        if repair is None:
            return NOTHING
        edit = repair.edits[0]
        if len(repair.edits) > 1 or not isinstance(edit, AddTag | SetField):
            return OTHER
        return ADD if isinstance(edit, AddTag) else FILTER if edit.word else OTHER


stops.register("missing_tag")(MissingTag())
