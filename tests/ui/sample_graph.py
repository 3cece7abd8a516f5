"""A small made-up memory and the real graph that the package builds from it."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

import networkx as nx

from workbench.graph import GraphConfig, TagGraph
from workbench.memory import Memory
from workbench.records import Extraction, Interaction, Note, Turn

SUBJECTS = [
    "travel/city_trip",
    "food/baking",
    "health/running",
    "home/garden",
    "career/software_engineering",
    "music/cello",
    "pet/dog",
]
DETAILS = [
    "bread/sourdough",
    "plan/weekend",
    "shoe/trail",
    "herb/basil",
    "book/mystery",
    "review/code",
    "lesson/weekly",
    "walk/morning",
]
PEOPLE = ["person/ana", "person/tomas", "family/sister", "colleague/ravi"]
PLACES = ["city/lisbon", "city/graz", "location/home", "location/office", "park/riverside"]


def sample_notes(count: int, seed: int = 7) -> list[Note]:
    """Notes of three rounds a session, a few days apart, with tags drawn from the words above."""
    chance = random.Random(seed)
    notes = []
    for i in range(count):
        session, round_ = divmod(i, 3)
        subject, detail = chance.choice(SUBJECTS), chance.choice(DETAILS)
        text = f"We talked about {subject.split('/')[1]} and {detail.split('/')[1]} with {chance.choice(PEOPLE).split('/')[1]}."
        notes.append(
            Note(
                Interaction(
                    id=f"s{session:02d}#{round_}",
                    session_id=f"s{session:02d}",
                    turns=(Turn("user", text), Turn("assistant", "Noted.")),
                    position=session,
                    round=round_,
                    time=datetime(2024, 3, 1, 9) + timedelta(days=4 * session),
                ),
                Extraction(
                    who=(chance.choice(PEOPLE),) if chance.random() < 0.5 else (),
                    what=(subject, detail),
                    where=(chance.choice(PLACES),) if chance.random() < 0.4 else (),
                    summary=text,
                ),
            )
        )
    return notes


def sample_graph(count: int, seed: int = 7) -> nx.DiGraph:
    return TagGraph(Memory(sample_notes(count, seed)), GraphConfig()).to_networkx()
