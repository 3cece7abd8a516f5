"""Who may use the app: nobody is asked on one's own machine; with sign-in set up (OpenID Connect), who is on the allow-list.

Sign-in is Streamlit's: the section ``[auth]`` of its secrets. Who may enter is in ``WORKBENCH_ALLOWED`` or, in the same file,
``allowed`` under ``[workbench]``: e-mail addresses, ``@domain`` for everybody of a domain, or ``*`` for whoever can sign in.
What is set up by halves lets nobody in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from workbench.errors import WorkbenchError
from workbench.words import visible

ALLOWED_VARIABLE = "WORKBENCH_ALLOWED"
REQUIRED_VARIABLE = "WORKBENCH_SIGN_IN"
"""Environment variable that, set to ``required``, lets nobody in where no sign-in is set up; `launch` sets it where one is."""
EVERYBODY = "*"
SHORTEST_COOKIE_SECRET = 32
"""Characters of the secret that signs the cookie which says who has signed in (ours)."""
CALLBACK = "/oauth2callback"
_PROVIDER = ("client_id", "client_secret", "server_metadata_url")
_ADDRESS, _ENTRY = re.compile(r"[^@\s,]+@[^@\s,]+"), re.compile(r"[^@\s,]*@[^@\s,]+")


class AccessProblem(WorkbenchError):
    """Sign-in is set up by halves; the message names the setting, never a secret's value."""


@dataclass(frozen=True)
class Person:
    """Who has signed in. ``is_verified`` is False where the provider says that the address is not the person's own."""

    name: str
    email: str
    is_verified: bool = True

    def __str__(self) -> str:
        """As labels carry it: two people of one name stay apart.

        >>> str(Person("Ann Lee", "ann@lab.org")), str(Person("", "ann@lab.org"))
        ('Ann Lee <ann@lab.org>', 'ann@lab.org')
        """
        return f"{self.name} <{self.email}>" if self.name and self.name != self.email else self.email or self.name

    def refusal(self, allowed: Iterable[str]) -> str:
        """Why the person may not enter; empty where they may.

        >>> Person("Ann", "Ann@Lab.org").refusal(["@lab.org"]), Person("Bo", "bo@notlab.org").refusal(["@lab.org"])
        ('', 'bo@notlab.org is not on the list of those who may use this workbench.')
        """
        if not _ADDRESS.fullmatch(self.email):
            return "The provider tells no e-mail address, by which people are named who may use this workbench."
        if not self.is_verified:
            return f"The provider says that {self.email} has not been verified as yours."
        address = _alike(self.email)
        if {EVERYBODY, address, f"@{address.rpartition('@')[2]}"} & {_alike(entry) for entry in allowed}:
            return ""
        return f"{self.email} is not on the list of those who may use this workbench."


def _alike(text: str) -> str:
    # Small letters of ASCII only: those of other letters can be ASCII (the Kelvin sign's is a k), and one would pass for another.
    return text.lower() if text.isascii() else text


# --- how it is set up -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rules:
    """How one signs in and who may enter.

    ``providers`` are the names of tables ``[auth.NAME]``, an empty one for a provider that stands in ``[auth]`` itself.
    ``origin`` is where a provider sends people back to, the one address at which signing in works. ``allowed``: see the module.
    """

    providers: tuple[str, ...]
    origin: str
    allowed: tuple[str, ...]


def read_rules(secrets: Mapping[str, Any], environment: Mapping[str, str]) -> Rules | None:
    """The rules that a secrets file and the environment make; None where no sign-in is set up.

    Raises
    ------
    AccessProblem
        If a setting lacks or can't be, if nobody is allowed, or if people are allowed who have nothing to sign in with.
    """
    allowed = _allowed(_table(secrets, "workbench"), environment)
    demand = environment.get(REQUIRED_VARIABLE, "")
    if demand not in ("", "required"):
        raise AccessProblem(f"{REQUIRED_VARIABLE} is {demand!r}; it is 'required' or not set")
    if "auth" not in secrets:
        if allowed or demand:
            what = f"{REQUIRED_VARIABLE} is set" if demand else "there is a list of who may enter"
            raise AccessProblem(f"{what}, but no [auth] in the secrets file to sign in with")
        return None
    auth = _table(secrets, "auth")
    rules = Rules(_providers(auth), _origin(auth), allowed)
    if not allowed:
        raise AccessProblem(f"nobody is named yet who may enter: set {ALLOWED_VARIABLE}, or allowed under [workbench]")
    return rules


def _table(secrets: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = secrets.get(name, {})
    if not isinstance(table, Mapping):
        raise AccessProblem(f"{name} in the secrets file is a table, [{name}], not a value")
    return table


def _allowed(ours: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[str, ...]:
    given: Any = ours.get("allowed", [])
    if ALLOWED_VARIABLE in environment:
        given = [entry.strip() for entry in environment[ALLOWED_VARIABLE].split(",") if entry.strip()]
    if not isinstance(given, list):
        raise AccessProblem("allowed under [workbench] is a list of addresses and @domains")
    for entry in given:
        if not isinstance(entry, str) or (entry != EVERYBODY and not _ENTRY.fullmatch(entry)):
            raise AccessProblem(
                f"{entry!r} can't be allowed to enter; an address like ann@lab.org can, or a domain like @lab.org"
            )
    return tuple(given)


def _providers(auth: Mapping[str, Any]) -> tuple[str, ...]:
    named = {name: each for name, each in auth.items() if isinstance(each, Mapping) and name != "client_kwargs"}
    providers = {"": auth} | named if "client_id" in auth or not named else named
    for name, settings in providers.items():
        place = f"[auth.{name}]" if name else "[auth]"
        if lacking := [key for key in _PROVIDER if not settings.get(key)]:
            raise AccessProblem(f"{place} in the secrets file lacks {', '.join(lacking)}")
        if "_" in name:
            raise AccessProblem(f"{place}: the name of a provider has no underscore")
    return tuple(providers)


def _origin(auth: Mapping[str, Any]) -> str:
    if lacking := [key for key in ("redirect_uri", "cookie_secret") if not auth.get(key)]:
        raise AccessProblem(f"[auth] in the secrets file lacks {', '.join(lacking)}")
    if len(str(auth["cookie_secret"])) < SHORTEST_COOKIE_SECRET:
        raise AccessProblem(
            f"cookie_secret under [auth] is too short: it takes {SHORTEST_COOKIE_SECRET} random characters or more"
        )
    address = str(auth["redirect_uri"]).replace("{port}", str(st.get_option("server.port")))  # as Streamlit does
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or not address.endswith(CALLBACK):
        raise AccessProblem(f"redirect_uri under [auth] is {address!r}; it is the app's address with {CALLBACK} at its end")
    return f"{parts.scheme}://{parts.netloc}"


def rules() -> Rules | None:
    """The rules of this app; None where nobody has to sign in. Raises AccessProblem as `read_rules` does."""
    found = read_rules(_secrets(), os.environ)
    if found is not None and not (find_spec("authlib") and find_spec("httpx")):
        raise AccessProblem("sign-in is set up, but its library is missing: install the requirements again")
    return found


def _secrets() -> Mapping[str, Any]:
    """What the secrets file holds. Streamlit takes one that it can't read for none, and would let everybody in."""
    is_there = any(Path(path).exists() for path in st.get_option("secrets.files"))
    try:
        return st.secrets.to_dict()
    except StreamlitSecretNotFoundError as error:
        if not is_there:
            return {}
        raise AccessProblem(f"the secrets file can't be read: {str(error).rpartition(': ')[2]}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise AccessProblem(f"the secrets file can't be read ({type(error).__name__})") from error


# --- who is there -----------------------------------------------------------------------------------------------------------


def claims() -> Mapping[str, Any]:
    """What the provider says of the visitor; empty where nobody has signed in."""
    told = st.user.to_dict()
    return told if told.get("is_logged_in") is True else {}


def person() -> Person | None:
    """Who has signed in; None where nobody has, or nobody has to."""
    told = claims() if rules() else {}
    if not told:
        return None
    verified = told.get("email_verified", True)  # some say it as text
    return Person(_text(told.get("name")), _text(told.get("email")), str(verified).lower() == "true")


def _text(claim: object) -> str:
    return visible(claim).strip() if isinstance(claim, str) else ""


def labels_as(typed: str) -> str:
    """The name that a label carries: who has signed in, and what was typed only where nobody has to."""
    return str(person() or "") if rules() else typed


def require() -> None:
    """End this run here, before anything of a store is read, unless nobody has to sign in or somebody may enter."""
    try:
        found = rules()
    except AccessProblem as error:
        st.header("TagGraph Workbench")
        st.error("Nobody can enter: sign-in is not set up right.", icon=":material/error:")
        st.text(str(error))
        st.stop()
    if found is None:
        return
    who = person()
    if who is None:
        _ask(found)
    elif refusal := who.refusal(found.allowed):
        _refuse(who, refusal)


def _ask(found: Rules) -> None:
    st.header("TagGraph Workbench")
    st.write("Please sign in.")
    # The cookie of a sign-in under way belongs to the host it began at; begun at another, it would end here again without a word.
    if st.context.url and urlsplit(st.context.url).netloc != urlsplit(found.origin).netloc:
        st.text(f"It works at {found.origin}, the address that the provider knows.")
        st.link_button("Go there", found.origin, icon=":material/arrow_forward:")
        st.stop()
    for name in found.providers:
        label = f"Sign in with {visible(name)}" if name else "Sign in"
        args = (name,) if name else ()
        st.button(label, type="primary", icon=":material/login:", key=f"sign-in-{name}", on_click=st.login, args=args)
    st.stop()


def _refuse(who: Person, refusal: str) -> None:
    st.header("TagGraph Workbench")
    st.text(f"You are signed in as {who}.")
    st.warning("You can't use this workbench.", icon=":material/block:")
    st.text(refusal)
    st.button("Sign out", icon=":material/logout:", on_click=st.logout)
    st.stop()


def show_person() -> None:
    """Draw who has signed in, with the way out; nothing where nobody has to."""
    who = person()
    if who is not None:
        st.caption(":material/person: Signed in as")
        st.text(str(who))
        st.button("Sign out", icon=":material/logout:", on_click=st.logout, width="stretch")
