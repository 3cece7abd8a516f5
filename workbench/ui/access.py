"""Who may use the app: nobody is asked on one's own machine; with sign-in set up (OpenID Connect), who is on the allow-list.

Sign-in is Streamlit's: the section ``[auth]`` of its secrets. Who may enter is in ``WORKBENCH_ALLOWED`` or, in the same file,
``allowed`` under ``[workbench]``: e-mail addresses, ``@domain`` for everybody of a domain, or ``*`` for whoever can sign in.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec

import streamlit as st

ALLOWED_VARIABLE = "WORKBENCH_ALLOWED"
EVERYBODY = "*"


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
        entries = [entry.strip().casefold() for entry in allowed if entry.strip()]
        if not entries:
            return f"Nobody is named yet who may enter: set {ALLOWED_VARIABLE}, or allowed under [workbench] in the secrets file."
        if EVERYBODY in entries:
            return ""
        if not self.email:
            return "The provider tells no e-mail address, by which people are named who may use this workbench."
        if not self.is_verified:
            return f"The provider says that {self.email} has not been verified as yours."
        address = self.email.casefold()
        if address in entries or f"@{address.rpartition('@')[2]}" in entries:
            return ""
        return f"{self.email} is not on the list of those who may use this workbench."


def is_set_up() -> bool:
    """Whether people have to sign in."""
    return bool(st.secrets.load_if_toml_exists() and "auth" in st.secrets)


def allowed() -> list[str]:
    """Who may enter, as written."""
    if ALLOWED_VARIABLE in os.environ:
        return os.environ[ALLOWED_VARIABLE].split(",")
    return [str(entry) for entry in st.secrets.get("workbench", {}).get("allowed", ())]


def person() -> Person | None:
    """Who has signed in; None where nobody has, or nobody has to."""
    if not is_set_up() or not st.user.is_logged_in:
        return None
    told = st.user.to_dict()
    return Person(str(told.get("name") or ""), str(told.get("email") or ""), told.get("email_verified") is not False)


def require() -> None:
    """End this run here, before anything of a store is read, unless nobody has to sign in or somebody may enter."""
    if not is_set_up():
        return
    if find_spec("authlib") is None:
        st.error("Sign-in is set up, but its library is missing: install the requirements again.", icon=":material/error:")
        st.stop()
    who = person()
    if who is None:
        st.header("TagGraph Workbench")
        st.write("Please sign in.")
        st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)
        st.stop()
    refusal = who.refusal(allowed())
    if refusal:
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
