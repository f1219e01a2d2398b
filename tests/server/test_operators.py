"""Monitoring: metrics, the dashboard that shows them, and traces."""

import json
import re
import sys
from pathlib import Path

import pytest
from serving import TOY, served

from backroom.engine.options import BadOption
from backroom.server import tracing

DASHBOARD = Path(__file__).parents[2] / "docs" / "serving" / "dashboard.json"


def test_all_that_the_dashboard_shows_is_measured(server):
    ann = server.guest("Ann")
    ann.make(TOY, seats=2)
    measured = set(re.findall(r"(?m)^([a-z_]+)[ {]", ann.web.get("/metrics").text))
    asked = [target["expr"] for panel in json.loads(DASHBOARD.read_text())["panels"] for target in panel["targets"]]
    named = {name for each in asked for name in re.findall(r"\b(?:backroom|process)_[a-z_]+", each)}
    assert len(named) > 10
    assert named - measured <= {"backroom_connections_refused_total"}  # none has been, so far
    pools = set(re.findall(r'backroom_threads_busy\{pool="(\w+)"\}', ann.web.get("/metrics").text))
    assert pools >= {"readers", "workers", "importers", "loaders", "makers", "analyses", "bots", "judges", "passwords"}


def test_traces_tell_what_a_move_waited_for_and_no_secrets(tmp_path):
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    kept = InMemorySpanExporter()
    assert tracing.start(kept)
    try:
        with served(tmp_path / "t.db") as server:
            ann = server.guest("Ann Secret")
            table = ann.make(TOY, seats=2, **{"seat-1": "random"})
            server.rested(table)
            now = ann.decision(table)
            assert ann.move(table, now["moves"][0]["name"], now["ask"]).status_code == 200
            server.rested(table)
        tracing.stop()
        spans = kept.get_finished_spans()
    finally:
        tracing.stop()
    names = {span.name for span in spans}
    assert {"judge", "append", "publish", "think", "read", "POST /tables/{table}/moves"} <= names
    assert "Secret" not in "".join(span.to_json() for span in spans)


def test_requests_are_called_by_their_routes():
    assert tracing.route("/tables/abc/moves") == "/tables/{table}/moves"
    assert tracing.route("/api/tables/abc/moves") == "/api/tables/{table}/moves"
    assert tracing.route("/") == "/"
    assert tracing.route("/tables") == "/tables"


def test_without_the_extra_it_is_said(monkeypatch):
    monkeypatch.setenv(tracing.ENDPOINTS[0], "http://127.0.0.1:4318")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(BadOption, match=r"backroom\[otel\]"):
        tracing.start()
