"""The tables of a store, and how a store made by an older version is brought up to date."""

from __future__ import annotations

from datetime import datetime

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

MIGRATIONS: tuple[str, ...] = (_FIRST,)
"""Scripts in order: the one at index i takes a store from version i to i + 1. Published ones are never edited."""


def version_of(cursor: duckdb.DuckDBPyConnection) -> int:
    """The schema version of the attached file; 0 where it holds no table yet.

    Raises
    ------
    StoreError
        If the file is a DuckDB database of something else.
    """
    tables = {
        name for (name,) in cursor.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'store'").fetchall()
    }
    if not tables:
        return 0
    if "meta" not in tables:
        raise StoreError(f"it is a DuckDB database, but not a workbench store (its tables: {', '.join(sorted(tables)[:5])})")
    ((version,),) = cursor.execute("SELECT value FROM meta WHERE name = 'schema_version'").fetchall()
    return int(version)


def check_version(version: int) -> None:
    """Raise StoreError for a store that a newer workbench made."""
    if version > len(MIGRATIONS):
        raise StoreError(
            f"the store has schema version {version}, this workbench reads up to {len(MIGRATIONS)}: update the workbench, "
            "or name another store"
        )


def migrate(cursor: duckdb.DuckDBPyConnection, now: datetime) -> None:
    """Bring the attached file to the newest version, in one transaction.

    Raises
    ------
    StoreError
        If the store is newer than this code, or not a store.
    """
    version = version_of(cursor)
    check_version(version)
    if version == len(MIGRATIONS):
        return
    cursor.execute("BEGIN")
    try:
        if version == 0:
            cursor.execute("CREATE TABLE meta (name VARCHAR PRIMARY KEY, value VARCHAR)")
            cursor.execute("INSERT INTO meta VALUES ('schema_version', '0'), ('created', ?)", [now.isoformat()])
        for script in MIGRATIONS[version:]:
            cursor.execute(script)
        cursor.execute("UPDATE meta SET value = ? WHERE name = 'schema_version'", [str(len(MIGRATIONS))])
        cursor.execute("COMMIT")
    except BaseException:
        cursor.execute("ROLLBACK")
        raise
