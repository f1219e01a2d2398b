"""OpenTelemetry traces, which show what a request waited for; they need the extra `otel`.

Traces are sent to `OTEL_EXPORTER_OTLP_ENDPOINT`, and configured by OpenTelemetry's other variables. They contain
methods, paths, tables and statuses, but no names, chat or moves. Without that variable nothing is imported, and `span`
costs one call.
"""

import contextlib
import os
from collections.abc import MutableMapping
from typing import Any

from backroom.engine.options import BadOption

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""The variables that turn tracing on."""
NAME = "backroom"

_tracers: list[Any] = []
"""The tracer, if tracing is on."""
_nothing = contextlib.nullcontext()


def start(exporter: Any = None) -> bool:
    """Start tracing to this exporter, or to the endpoint in the environment; returns whether tracing is on."""
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
    """Send the remaining traces and stop tracing."""
    while _tracers:
        _tracers.pop().span_processor.shutdown()


def is_on() -> bool:
    return bool(_tracers)


def span(name: str, **attributes: str | int) -> Any:
    """A context manager for a span, nested in the current one."""
    if not _tracers:
        return _nothing
    return _tracers[0].start_as_current_span(name, attributes=attributes)


class Traced:
    """ASGI middleware that makes each request a span, named after its route."""

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
    """A path with placeholders in place of ids: `/tables/{table}/moves`."""
    parts = path.split("/")
    at = 2 if parts[1] == "api" else 1
    if len(parts) > at + 1 and parts[at] == "tables":
        parts[at + 1] = "{table}"
    return "/".join(parts[:5])
