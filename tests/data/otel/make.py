"""Make the traces beside the stores here: ``python make.py traceloop|openinference|langsmith``.

Needs, besides the test dependencies, opentelemetry-sdk, opentelemetry-exporter-otlp-proto-common and
the instrumentation named (LangSmith's exporter is part of langsmith). The spans are what the real
instrumentation exports of an agent with two model calls; of each only what says the input is kept.
"""

import json
import os
import sqlite3
import sys
from pathlib import Path

KIND = sys.argv[1]
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "bench")]
if KIND == "langsmith":
    os.environ |= {
        "LANGSMITH_OTEL_ENABLED": "true",
        "LANGSMITH_OTEL_ONLY": "true",
        "LANGSMITH_TRACING": "true",
        "LANGSMITH_API_KEY": "none",
        "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
    }

from google.protobuf.json_format import MessageToDict  # noqa: E402
from opentelemetry import trace  # noqa: E402
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans  # noqa: E402
from opentelemetry.sdk.trace import TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: E402
from opentelemetry.sdk.trace.export.in_memory_span_exporter import (  # noqa: E402
    InMemorySpanExporter,
)

kept = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)
if KIND == "traceloop":
    from opentelemetry.instrumentation.langchain import LangchainInstrumentor

    LangchainInstrumentor().instrument(tracer_provider=provider)
if KIND == "openinference":
    from openinference.instrumentation.langchain import LangChainInstrumentor

    LangChainInstrumentor().instrument(tracer_provider=provider)

from langchain.agents import create_agent  # noqa: E402
from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: E402
from scripted_agents import PROMPT, ask, lookup, scripted  # noqa: E402

SKIPPED = ("output", "gen_ai.completion", "gen_ai.output", "llm.output", "input.value")
ENVIRONMENT = "langsmith.metadata.LANGSMITH"

store = HERE / f"{KIND}.db"
store.unlink(missing_ok=True)
connection = sqlite3.connect(store, check_same_thread=False)
connection.execute("PRAGMA page_size = 512")
agent = create_agent(
    scripted(wanted=1), [lookup], system_prompt=PROMPT, checkpointer=SqliteSaver(connection)
)
agent.invoke(ask("Which invoices are paid?"), {"configurable": {"thread_id": "t"}})
connection.execute("PRAGMA journal_mode = DELETE")
connection.execute("VACUUM")
connection.close()
if KIND == "langsmith":
    from langchain_core.tracers.langchain import wait_for_all_tracers

    wait_for_all_tracers()
    trace.get_tracer_provider().force_flush()
    import time

    time.sleep(3)
found = MessageToDict(encode_spans(kept.get_finished_spans()))
for resource in found["resourceSpans"]:
    resource["resource"] = {}
    for scope in resource["scopeSpans"]:
        for span in scope["spans"]:
            span["attributes"] = [
                a
                for a in span.get("attributes", ())
                if not a["key"].startswith((*SKIPPED, ENVIRONMENT)) and len(json.dumps(a)) < 3_000
            ]
(HERE / f"{KIND}.db.otlp.json").write_text(json.dumps(found) + "\n")
