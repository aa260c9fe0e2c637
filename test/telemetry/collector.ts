/** Receives OTLP over HTTP, and decodes it with the protocol's definitions. */

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import protobuf from "protobufjs";
import type { Scope } from "../support/scope.ts";

/** From https://github.com/open-telemetry/opentelemetry-proto: the fields that are read here, with their numbers. */
const definitions = `
  syntax = "proto3";
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1;
    bytes span_id = 2;
    string trace_state = 3;
    bytes parent_span_id = 4;
    string name = 5;
    int32 kind = 6;
    fixed64 start_time_unix_nano = 7;
    fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9;
    Status status = 15;
  }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`;
const requestType = protobuf.parse(definitions).root.lookupType("ExportTraceServiceRequest");
const kinds = ["unspecified", "internal", "server", "client", "producer", "consumer"];

type Facts = Record<string, string | number | boolean>;

export interface ReceivedSpan {
  traceId: string;
  id: string;
  /** "" for the first span of a trace. */
  parentId: string;
  name: string;
  kind: string;
  attributes: Facts;
  hasFailed: boolean;
  /** Milliseconds. */
  startedAt: number;
  endedAt: number;
  /** Attributes of its process. */
  process: Facts;
}

export interface Collector {
  origin: string;
  /** Every request so far. */
  requests: { path: string; headers: Record<string, unknown>; body: Buffer }[];
  spans(): ReceivedSpan[];
  /** Sends the responses from now on; an empty 200 by default. */
  answer: (response: ServerResponse) => void;
}

/** `t` stops it when the test ends. */
export async function startCollector(t: Scope): Promise<Collector> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    collector.requests.push({ path: String(request.url), headers: request.headers, body: Buffer.concat(chunks) });
    collector.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const collector: Collector = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    spans: () => collector.requests.flatMap(({ body }) => decode(body)),
    answer: (response) => response.end(),
  };
  return collector;
}

interface KeyValue {
  key: string;
  value: Facts;
}

function factsOf(attributes: KeyValue[] = []): Facts {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? ""]));
}

function decode(body: Buffer): ReceivedSpan[] {
  const { resourceSpans = [] } = requestType.toObject(requestType.decode(body), { longs: Number });
  // biome-ignore lint/suspicious/noExplicitAny: as decoded
  return resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: as decoded
    scopeSpans.flatMap(({ spans }: any) =>
      spans.map(
        // biome-ignore lint/suspicious/noExplicitAny: as decoded
        (span: any): ReceivedSpan => ({
          traceId: span.traceId.toString("hex"),
          id: span.spanId.toString("hex"),
          parentId: Buffer.from(span.parentSpanId ?? []).toString("hex"),
          name: span.name,
          kind: kinds[span.kind] ?? "",
          attributes: factsOf(span.attributes),
          hasFailed: span.status?.code === 2,
          startedAt: span.startTimeUnixNano / 1e6,
          endedAt: span.endTimeUnixNano / 1e6,
          process: factsOf(resource.attributes),
        }),
      ),
    ),
  );
}
