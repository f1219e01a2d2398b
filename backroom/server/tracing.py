"""Traces by OpenTelemetry: what a request waited for, for whoever installs the extra `otel` and says where they go.

Traces are sent where `OTEL_EXPORTER_OTLP_ENDPOINT` says, and configured by the other variables of OpenTelemetry. A
trace holds methods, paths, tables and statuses; no names, words or moves. Without that variable nothing is imported,
and `span` costs a call.
"""

import contextlib
import os
from collections.abc import MutableMapping
from typing import Any

from backroom.engine.options import BadOption

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""Where traces go; none of them: there are none."""
NAME = "backroom"

_tracers: list[Any] = []
"""The tracer, while there is one."""
_nothing = contextlib.nullcontext()


def start(exporter: Any = None) -> bool:
    """Send traces from now on, if the environment says where, or to this exporter; says whether."""
    if exporter is None and not any(os.environ.get(name) for name in ENDPOINTS):
        return False
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise BadOption("traces need an extra: pip install 'backroom[otel]'") from None
    provider = TracerProvider(resource=Resource.create({"service.name": NAME}))
    provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter()))
    _tracers[:] = [provider.get_tracer(NAME)]
    return True


def stop() -> None:
    """Send what waits, and no more."""
    while _tracers:
        _tracers.pop().span_processor.shutdown()


def is_on() -> bool:
    return bool(_tracers)


def span(name: str, **attributes: str | int) -> Any:
    """A context that is timed under this name, as a part of the one around it."""
    if not _tracers:
        return _nothing
    return _tracers[0].start_as_current_span(name, attributes=attributes)


class Traced:
    """Stands before the whole application: each request is a span, called by its route and not by its table."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http" or not is_on():
            await self.app(scope, receive, send)
            return
        with span(f"{scope['method']} {route(scope['path'])}") as here:

            async def answer(message: MutableMapping[str, Any]) -> None:
                if message["type"] == "http.response.start":
                    here.set_attribute("http.response.status_code", message["status"])
                await send(message)

            await self.app(scope, receive, answer)


def route(path: str) -> str:
    """A path without what names one of many things: `/tables/{table}/moves`."""
    parts = path.split("/")
    at = 2 if parts[1] == "api" else 1
    if len(parts) > at + 1 and parts[at] == "tables":
        parts[at + 1] = "{table}"
    return "/".join(parts[:5])
