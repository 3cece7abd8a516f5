"""The tables of a store, and how a store made by an older version is brought up to date."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import duckdb

from workbench.errors import StoreError

# Every table with a column ``case_key`` or ``extraction`` holds rows of a case and is emptied by the removal of that case:
# a new table gets this by naming its column so.
_FIRST = """
CREATE TABLE cases (
    case_key VARCHAR PRIMARY KEY, benchmark VARCHAR, id VARCHAR, title VARCHAR, unit VARCHAR, participants VARCHAR[],
    digest VARCHAR, sessions INTEGER, turns INTEGER, notes INTEGER, questions INTEGER,
    first_time TIMESTAMP, last_time TIMESTAMP, added TIMESTAMP
);
CREATE TABLE sessions (
    case_key VARCHAR, place INTEGER, id VARCHAR, position INTEGER, time TIMESTAMP, time_text VARCHAR
);
CREATE TABLE turns (
    case_key VARCHAR, session INTEGER, place INTEGER, role VARCHAR, text VARCHAR, speaker VARCHAR, ref VARCHAR, caption VARCHAR
);
CREATE TABLE questions (
    case_key VARCHAR, place INTEGER, id VARCHAR, text VARCHAR, answer VARCHAR, type VARCHAR, gold VARCHAR,
    time TIMESTAMP, time_text VARCHAR, remarks VARCHAR[]
);
CREATE TABLE interactions (
    case_key VARCHAR, id VARCHAR, session VARCHAR, position INTEGER, round INTEGER, time TIMESTAMP, time_text VARCHAR,
    place INTEGER, first INTEGER, turns INTEGER, own_turns VARCHAR
);
CREATE TABLE extractions (
    id INTEGER PRIMARY KEY, case_key VARCHAR, extractor VARCHAR, config VARCHAR, config_digest VARCHAR,
    notes INTEGER, counters VARCHAR, created TIMESTAMP, UNIQUE (case_key, extractor, config_digest)
);
CREATE TABLE tags (
    extraction INTEGER, note VARCHAR, who VARCHAR[], what VARCHAR[], "when" VARCHAR[], "where" VARCHAR[], why VARCHAR[],
    extra VARCHAR[], summary VARCHAR
);
CREATE TABLE loads (
    id INTEGER PRIMARY KEY, created TIMESTAMP, files VARCHAR[], extractor VARCHAR, cases INTEGER, questions INTEGER,
    notes INTEGER, kept INTEGER, repaired INTEGER, seconds DOUBLE, remarks VARCHAR
);
CREATE TABLE findings (
    load INTEGER, place INTEGER, case_key VARCHAR, file VARCHAR, position VARCHAR, level VARCHAR, reason VARCHAR,
    is_record BOOLEAN
);
CREATE TABLE runs (
    id VARCHAR PRIMARY KEY, name VARCHAR, created TIMESTAMP, benchmark VARCHAR, extracted_by VARCHAR, config VARCHAR,
    data_digest VARCHAR, code_version VARCHAR, environment VARCHAR, excluded VARCHAR, seconds VARCHAR
);
CREATE TABLE results (
    run VARCHAR, place INTEGER, case_key VARCHAR, question VARCHAR, type VARCHAR, method VARCHAR, note_ids VARCHAR[],
    scores DOUBLE[], session_ids VARCHAR[], candidates INTEGER, measures VARCHAR, headline BOOLEAN, remarks VARCHAR[]
);
"""

# Results of an unfinished run stand in ``results`` under its id; only runs with a row in ``runs`` are ever shown.
_RUNS_RESUME = """
ALTER TABLE runs ADD COLUMN kind VARCHAR DEFAULT 'evaluation';
ALTER TABLE runs ADD COLUMN points VARCHAR DEFAULT '{}';
ALTER TABLE runs ADD COLUMN plan VARCHAR DEFAULT '';
CREATE TABLE unfinished (
    run VARCHAR PRIMARY KEY, plan VARCHAR UNIQUE, benchmark VARCHAR, name VARCHAR, started TIMESTAMP, cases INTEGER
);
CREATE TABLE unfinished_cases (run VARCHAR, case_key VARCHAR, excluded VARCHAR, seconds VARCHAR);
"""

_REQUESTS = "ALTER TABLE unfinished ADD COLUMN request VARCHAR DEFAULT '';"

# Questions of an analyst's own stand in copies of cases; ``source`` is the case that one was copied from.
_OWN_CASES = "CREATE TABLE own_cases (case_key VARCHAR PRIMARY KEY, source VARCHAR);"

_BUILDING = """
ALTER TABLE runs ADD COLUMN building VARCHAR DEFAULT '{}';
ALTER TABLE unfinished_cases ADD COLUMN building VARCHAR DEFAULT '{}';
"""

# ``text`` is a digest (`workbench.embed.vectors.text_digest`): a text that several cases hold has its vector once.
_VECTORS = """
CREATE TABLE vectors (text VARCHAR, backend VARCHAR, model VARCHAR, vector BLOB);
CREATE TABLE embedded_texts (case_key VARCHAR, text VARCHAR);
"""

# ``parts`` is JSON: what a method worked out of a case's notes (`workbench.states`).
_STATES = "CREATE TABLE states (case_key VARCHAR, kind VARCHAR, digest VARCHAR, parts VARCHAR);"

# Outputs of language models, as they came (`workbench.chat.base.Recording`).
_RECORDINGS = """
CREATE TABLE recordings (
    kind VARCHAR, version VARCHAR, model VARCHAR, case_key VARCHAR, unit VARCHAR, digest VARCHAR, text VARCHAR, failure VARCHAR,
    attempts INTEGER, tokens_in BIGINT, tokens_out BIGINT, seconds DOUBLE, mode VARCHAR, created TIMESTAMP
);
"""

# Answers with what was asked (`workbench.answer.records`); ``answer`` of a judgement is a digest of the answer's words.
_ANSWERS = """
CREATE TABLE answers (
    case_key VARCHAR, question VARCHAR, run VARCHAR, method VARCHAR, model VARCHAR, version VARCHAR, note_ids VARCHAR[],
    system VARCHAR, prompt VARCHAR, digest VARCHAR, answer VARCHAR, text VARCHAR, failure VARCHAR, attempts INTEGER,
    tokens_in BIGINT, tokens_out BIGINT, seconds DOUBLE, mode VARCHAR, created TIMESTAMP
);
CREATE TABLE judgements (
    case_key VARCHAR, question VARCHAR, answer VARCHAR, model VARCHAR, version VARCHAR, is_right BOOLEAN, text VARCHAR,
    failure VARCHAR, created TIMESTAMP
);
"""

MIGRATIONS: tuple[str, ...] = (_FIRST, _RUNS_RESUME, _REQUESTS, _OWN_CASES, _BUILDING, _VECTORS, _STATES, _RECORDINGS, _ANSWERS)
"""Scripts in order: the one at index i takes a store from version i to i + 1. Published ones are never edited."""

_LABELS = """
CREATE TABLE labels (
    id INTEGER PRIMARY KEY, case_key VARCHAR, question VARCHAR, note VARCHAR, method VARCHAR, analyst VARCHAR, label VARCHAR,
    comment VARCHAR, status VARCHAR, contested VARCHAR, created TIMESTAMP
);
CREATE TABLE taxonomies (version INTEGER PRIMARY KEY, causes VARCHAR, analyst VARCHAR, created TIMESTAMP);
"""

LABEL_MIGRATIONS: tuple[str, ...] = (_LABELS,)
"""The same for the store of labels, a file of its own beside a store."""

Kind = Literal["store", "labels"]
"""What a file holds: cases with all that was made of them, or an analyst's labels."""


def scripts(kind: Kind) -> tuple[str, ...]:
    """The migrations of a kind of file."""
    return LABEL_MIGRATIONS if kind == "labels" else MIGRATIONS


def version_of(cursor: duckdb.DuckDBPyConnection, kind: Kind = "store") -> int:
    """The schema version of the attached file; 0 where it holds no table yet.

    Raises
    ------
    StoreError
        If the file is a DuckDB database of something else, or of the other kind.
    """
    tables = {
        name for (name,) in cursor.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'store'").fetchall()
    }
    if not tables:
        return 0
    if "meta" not in tables:
        raise StoreError(f"it is a DuckDB database, but not a workbench store (its tables: {', '.join(sorted(tables)[:5])})")
    is_labels = "labels" in tables
    if is_labels != (kind == "labels"):
        raise StoreError(f"it holds {'labels, not cases' if is_labels else 'cases, not labels'}")
    ((version,),) = cursor.execute("SELECT value FROM meta WHERE name = 'schema_version'").fetchall()
    return int(version)


def check_version(version: int, kind: Kind = "store") -> None:
    """Raise StoreError for a store that a newer workbench made."""
    if version > len(scripts(kind)):
        raise StoreError(
            f"the store has schema version {version}, this workbench reads up to {len(scripts(kind))}: update the workbench, "
            "or name another store"
        )


def migrate(cursor: duckdb.DuckDBPyConnection, now: datetime, kind: Kind = "store") -> None:
    """Bring the attached file to the newest version, in one transaction.

    Raises
    ------
    StoreError
        If the store is newer than this code, or not a store.
    """
    version, newest = version_of(cursor, kind), len(scripts(kind))
    check_version(version, kind)
    if version == newest:
        return
    cursor.execute("BEGIN")
    try:
        if version == 0:
            cursor.execute("CREATE TABLE meta (name VARCHAR PRIMARY KEY, value VARCHAR)")
            cursor.execute("INSERT INTO meta VALUES ('schema_version', '0'), ('created', ?)", [now.isoformat()])
        for script in scripts(kind)[version:]:
            cursor.execute(script)
        cursor.execute("UPDATE meta SET value = ? WHERE name = 'schema_version'", [str(newest)])
        cursor.execute("COMMIT")
    except BaseException:
        cursor.execute("ROLLBACK")
        raise
