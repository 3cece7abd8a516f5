"""One request to a service that speaks the OpenAI protocol: bounded in time and size, tried again where that may help."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2
import openai

from workbench.chat.base import URL, Endpoint, Mode
from workbench.endpoints import SHOWN, without
from workbench.errors import ChatError, MissingPart

Message = dict[str, str]
LONGEST_WAIT = 120.0
"""Seconds that a service may ask to be left alone before a request counts as failed (ours)."""
BACKOFF, LONGEST_BACKOFF = 0.5, 30.0
"""Seconds before the second try, doubled each time, and the most of it (ours)."""
BYTES_PER_TOKEN, BYTES_BESIDE = 64, 65_536
"""What an answer may weigh: bytes for each token asked for, and for what surrounds them (ours)."""
_NEXT_MODE: Mapping[Mode, Mode] = {"json_schema": "json_object", "json_object": "text"}
_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "json schema", "grammar")
_NO_TEMPERATURE = re.compile(r"temperature\W.{0,80}support|unsupported.{0,80}temperature", re.DOTALL)
_HOPELESS = {401: "refuses the key", 403: "refuses access", 404: "knows no such address or model"}
_PASSING = (408, 409, 425, 429)


class NoAnswer(Exception):
    """A request came to nothing, for the reason it says; others may do better."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service answered: text, why it ended (``stop``, ``length`` ...), a refusal in its own words, tokens if told."""

    text: str
    finish: str
    refusal: str
    tokens_in: int | None
    tokens_out: int | None
    mode: Mode


@dataclass(frozen=True, slots=True)
class Manner:
    """How a service wants to be asked: for JSON, for an answer of limited length, and whether with a temperature (of 0)."""

    mode: Mode = "json_schema"
    limit: str = "max_tokens"
    has_temperature: bool = True

    def after(self, error: openai.APIStatusError) -> Manner | None:
        """The manner to try where this one was refused, which some servers say with a 500; None where it was not."""
        if error.status_code not in (400, 415, 422, 500, 501):
            return None
        said = f"{error.message} {error.body}".casefold()
        if self.limit == "max_tokens" and "max_completion_tokens" in said:
            return replace(self, limit="max_completion_tokens")
        if self.has_temperature and _NO_TEMPERATURE.search(said):
            return replace(self, has_temperature=False)
        if self.mode != "text" and any(word in said for word in _FORMAT_WORDS):
            return replace(self, mode=_NEXT_MODE[self.mode])
        return None


class Service:
    """A service as one endpoint describes it; threads may share it. The manner that it accepts is kept from then on."""

    def __init__(self, endpoint: Endpoint) -> None:
        if not endpoint.url:
            raise MissingPart(f"there is no language model: set {URL} to a base URL, such as http://127.0.0.1:11434/v1")
        if not endpoint.model:
            raise MissingPart(f"{endpoint.url} is asked for no model: name one with WORKBENCH_LLM_MODEL or the setting 'model'")
        self.endpoint = endpoint
        self.manner = Manner()
        self._changing = threading.Lock()
        most = BYTES_BESIDE + BYTES_PER_TOKEN * endpoint.max_tokens
        self._client = openai.OpenAI(
            base_url=endpoint.url,
            api_key=endpoint.key or "none",  # local services take any
            max_retries=0,  # tried again here, where a wait is bounded and a size is
            http_client=httpx2.Client(transport=_Bounded(most, endpoint.seconds, _proxy(endpoint.url)), timeout=endpoint.seconds),
        )

    def answer(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Answer:
        """The answer to a conversation; JSON of a schema where one is given, as well as the service can hold to it.

        Raises
        ------
        NoAnswer
            If there is none after all tries: errors of the service, no answer in time, one that broke off or is too large.
        ChatError
            If no request can succeed: the service can't be reached, refuses the key, or has no such model.
        """
        tries, unreachable, reason = 0, False, ""
        while tries < self.endpoint.tries:
            manner = self.manner
            try:
                return self._ask(messages, manner, schema)
            except openai.APIStatusError as error:
                if self._is_manner_refused(error, manner):
                    continue  # in another manner; no try is used up
                wait = self._wait_after(error, tries)
                unreachable, reason = False, f"answered {error.status_code}: {self._said(error.message)}"
            except openai.APITimeoutError:
                wait, unreachable, reason = _backoff(tries), False, f"gave no answer within {self.endpoint.seconds} s"
            except openai.APIConnectionError as error:
                if isinstance(error.__cause__, _TooLarge):
                    raise NoAnswer(f"the service gave an answer of more than {error.__cause__.most:,} bytes") from error
                unreachable = isinstance(error.__cause__, httpx2.ConnectError)
                wait, reason = _backoff(tries), f"broke off ({self._said(str(error.__cause__ or error))})"
            tries += 1
            if tries < self.endpoint.tries:
                time.sleep(wait)
        if unreachable:
            raise ChatError(f"{self.endpoint.url} can't be reached: start the service, or set {URL} to where it is")
        raise NoAnswer(f"the service {reason}")

    def _ask(self, messages: Sequence[Message], manner: Manner, schema: Mapping[str, Any] | None) -> Answer:
        mode: Mode = "text" if schema is None else manner.mode
        options: dict[str, Any] = {manner.limit: self.endpoint.max_tokens}
        if manner.has_temperature:
            options["temperature"] = 0
        if mode == "json_schema":
            # Not "strict": that subset of JSON schema knows no bounds on text, without which small models babble.
            options["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
        elif mode == "json_object":
            options["response_format"] = {"type": "json_object", "schema": schema}
        try:
            got: Any = self._client.chat.completions.create(
                model=self.endpoint.model,
                messages=list(messages),  # type: ignore[arg-type]
                **options,
            )
        except openai.APIError as error:
            if isinstance(error, openai.APIStatusError | openai.APIConnectionError):
                raise
            raise NoAnswer(f"the service gave an answer that can't be read: {self._said(str(error))}") from error
        except ValueError as error:
            raise NoAnswer(f"the service gave an answer that can't be read: {self._said(str(error))}") from error
        return self._read(got, mode)

    def _read(self, got: Any, mode: Mode) -> Answer:
        choices: Any = getattr(got, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = getattr(choice, "message", None)
        if message is None:
            raise NoAnswer("the service gave an answer that can't be read: it has no message")
        text, refusal = (getattr(message, name, None) or "" for name in ("content", "refusal"))
        if not isinstance(text, str) or not isinstance(refusal, str):
            raise NoAnswer("the service gave an answer that can't be read: its content is no text")
        usage = getattr(got, "usage", None)
        tokens = [getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens")]
        counts = [count if isinstance(count, int) else None for count in tokens]
        finish = str(getattr(choice, "finish_reason", None) or "")
        if finish == "content_filter":
            refusal = refusal or "its output was filtered"
        return Answer(without(self.endpoint.key, text), finish, self._said(refusal), counts[0], counts[1], mode)

    def _is_manner_refused(self, error: openai.APIStatusError, manner: Manner) -> bool:
        other = manner.after(error)
        if other is None:
            return False
        with self._changing:
            if self.manner == manner:  # else another thread was told before
                self.manner = other
        return True

    def _wait_after(self, error: openai.APIStatusError, tries: int) -> float:
        """Seconds until the next try; raises where none can help."""
        status, said = error.status_code, self._said(error.message)
        if status in _HOPELESS:
            raise ChatError(f"{self.endpoint.url} {_HOPELESS[status]} (model {self.endpoint.model}; {status}: {said})") from error
        if status < 500 and status not in _PASSING:
            raise NoAnswer(f"the service answered {status}: {said}") from error
        asked = _retry_after(error.response.headers.get("retry-after"), datetime.now(UTC))
        if asked is not None and asked > LONGEST_WAIT:
            raise NoAnswer(f"the service answered {status} and asks to wait {asked:,.0f} s, more than {LONGEST_WAIT:.0f}")
        return _backoff(tries) if asked is None else asked

    def _said(self, text: str) -> str:
        return without(self.endpoint.key, text)[:SHOWN]


def _backoff(tries: int) -> float:
    return min(LONGEST_BACKOFF, BACKOFF * 2.0**tries)


def _retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds of a Retry-After header, which holds a number or a date; None where there is none that reads."""
    if not value:
        return None
    if value.strip().isascii() and value.strip().isdigit():
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, ((until if until.tzinfo else until.replace(tzinfo=UTC)) - now).total_seconds())


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for this address; never one for this machine itself."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    is_here = host in ("localhost", "127.0.0.1", "::1")
    return None if is_here or proxy_bypass(host) else getproxies().get(parts.scheme)


class _TooLarge(httpx2.TransportError):
    """An answer of more than ``most`` bytes."""

    def __init__(self, most: int) -> None:
        super().__init__(f"more than {most:,} bytes")
        self.most = most


class _Bounded(httpx2.BaseTransport):
    """Reads an answer up to a size and for a time; the client's own timeout starts again with every byte."""

    def __init__(self, most: int, seconds: float, proxy: str | None) -> None:
        self._inner, self._most, self._seconds = httpx2.HTTPTransport(proxy=proxy), most, seconds

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        end = time.monotonic() + self._seconds
        got = self._inner.handle_request(request)
        assert isinstance(got.stream, httpx2.SyncByteStream)
        stream = _BoundedStream(got.stream, self._most, end)
        return httpx2.Response(got.status_code, headers=got.headers, stream=stream, extensions=got.extensions)

    def close(self) -> None:
        self._inner.close()


class _BoundedStream(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, most: int, end: float) -> None:
        self._inner, self._most, self._end = inner, most, end

    def __iter__(self) -> Iterator[bytes]:
        read = 0
        for part in self._inner:
            read += len(part)
            if read > self._most:
                raise _TooLarge(self._most)
            if time.monotonic() > self._end:
                raise httpx2.ReadTimeout("the answer takes too long")
            yield part

    def close(self) -> None:
        self._inner.close()
