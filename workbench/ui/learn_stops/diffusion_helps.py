"""Diffusion helps: it reaches a note that shares no telling word with the question."""

from __future__ import annotations

from workbench.spread import Attribution
from workbench.ui import learn_parts as parts
from workbench.ui.diffusion_state import DEFAULT, run_of
from workbench.ui.diffusion_view import name_of
from workbench.ui.learn_stop import RANK_OPTIONS, Prediction, Scene, Stop, rank_option, rank_words, stops
from workbench.ui.node_panel import plain


def attribution(scene: Scene) -> Attribution:
    """What brought the gold note its score."""
    return run_of(scene.opened, scene.question.text, DEFAULT, ()).attribution(scene.gold_note)


class DiffusionHelps(Stop):
    """A note reached over names and time instead of words."""

    order = 50
    title = "Diffusion helps"
    claim = "Who the cellist is stands in one note, where she lives in another. Diffusion walks from the one to the other."
    case = "longmemeval_demo/demo_diffusion_helps"
    page = "compare"
    methods = ("bm25", "adaptive")

    def holds(self, scene: Scene) -> bool:
        off, on = scene.rank("adaptive", diffusion=False), scene.rank("adaptive")
        return on is not None and on <= 5 and (off is None or off > 10)

    def prediction(self, scene: Scene) -> Prediction:
        asked = f"Without diffusion the note that answers is {rank_words(scene.rank('adaptive', diffusion=False))}. And with it?"
        return Prediction(asked, RANK_OPTIONS, rank_option(scene.rank("adaptive")))

    def before(self, scene: Scene) -> None:
        parts.question(scene)
        parts.said(scene, scene.gold_note)

    def after(self, scene: Scene) -> None:
        found = {
            "adaptive, diffusion off": scene.ranking("adaptive", diffusion=False),
            "adaptive": scene.ranking("adaptive"),
        }
        parts.rankings(scene, "helps", found)

    def told(self, scene: Scene) -> str:
        rank, candidates = scene.rank("adaptive"), scene.ranking("adaptive").candidates
        found = attribution(scene)
        text = f"The note comes in {rank_words(rank)} of {candidates}."
        if not found.walks:
            return text
        nodes, value = found.walks[0]
        walk = " → ".join(f"*{plain(name_of(node, scene.opened.memory))}*" for node in nodes)
        return f"{text} The strongest walk to it brought {value / found.score:.0%} of its score: {walk}"


stops.register("diffusion_helps")(DiffusionHelps())
