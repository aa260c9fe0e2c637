/** Settings for the API server, API keys and rate limits, compatible interfaces, webhooks, watches and traces. */

import { z } from "zod";
import { hostText, httpUrl, integer, optionalText, port, validHttpUrl } from "./types.ts";

export const serverSettings = {
  NODE_ENV: z
    .enum(["development", "production"])
    .meta({ description: "Mode of operation; use `production` for any public or shared instance.", example: "production" }),
  ROLE: z.enum(["all", "api", "worker"]).default("all").meta({
    description:
      "Role of the process: `api` serves requests and has no browsers; `worker` has browsers, runs captures and webhooks, and serves only `/health` and metrics; `all` does both. Processes of different roles share the database, Redis and object storage.",
  }),
  PORT: port(3000).meta({ description: "Port of the API." }),
  HOST: hostText().default("0.0.0.0").meta({ description: "Address that the API, the metrics and the browser endpoint listen on." }),
  AUTH_SECRET: z.string().min(32).meta({
    secret: true,
    description:
      "At least 32 characters. Signs sessions and image links; the signing secrets of keys are derived from it, and those of webhooks are encrypted with it. Generate one with `openssl rand -hex 32`.",
  }),
  PUBLIC_URL: httpUrl().meta({
    description:
      "Public URL of the API, used for links in responses. By default, links use the request's `Host`, or `WEB_PUBLIC_URL` for requests forwarded by the dashboard.",
    example: "https://screenshots.example.com",
  }),
  TRUST_PROXY: optionalText().meta({
    isList: true,
    valid: "a comma-separated list of IP addresses and CIDRs such as 10.0.0.0/8, but not of length 0",
    description:
      "Comma-separated addresses or CIDRs of reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` headers are trusted; if empty, none are trusted. The proxies must set both headers.",
  }),
  MAX_REQUEST_BODY_MB: integer(1, 64).default(4).meta({
    unit: "MB",
    description: "Maximum size of a capture request's body. JSON takes more space than the text that it contains.",
  }),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .meta({ description: "Minimum log level." }),
  ENABLE_METRICS: z.boolean().default(true).meta({ description: "Serve Prometheus metrics at `/metrics` on `METRICS_PORT`." }),
  METRICS_PORT: port(9090).meta({ description: "Port of the metrics server; don't expose it to the public internet." }),
};

export const limitSettings = {
  DEFAULT_API_KEY_PREFIX: z
    .string()
    .max(20)
    .regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
    .default("ss")
    .meta({
      valid: "at most 20 lower-case letters, digits and underscores, starting with a letter",
      description: "Prefix of new API keys; keys with earlier prefixes stay valid.",
    }),
  RATE_LIMIT_WINDOW_MS: integer(1000, 3_600_000).default(60_000).meta({
    unit: "milliseconds",
    description: "Window of `RATE_LIMIT_MAX_REQUESTS`.",
  }),
  RATE_LIMIT_MAX_REQUESTS: integer(1, 1_000_000).default(100).meta({
    description: "Requests per window for keys whose plan doesn't set a limit, and for IP addresses that send unknown keys.",
  }),
  MAX_SESSIONS: integer(0, 10_000).default(100).meta({
    description: "Maximum number of saved page sessions per account.",
  }),
};

export const webhookSettings = {
  WEBHOOK_ALLOW_HTTP: z.boolean().default(false).meta({
    description:
      "Allow webhooks to `http` URLs, whose content anyone on the network path can read. `EGRESS_ALLOWED_HOSTS` lists private addresses that webhooks may reach.",
  }),
};

export const watchSettings = {
  WATCH_INTERVAL_MIN_SECONDS: integer(1, 86_400).default(300).meta({
    unit: "seconds",
    description: "Shortest interval at which a page can be watched.",
  }),
  MAX_WATCHES: integer(0, 100_000).default(1_000).meta({ description: "Maximum number of watches per account." }),
};

/** Interfaces besides our own: other products' APIs, and MCP for language models. */
export const interfaceNames = ["screenshotone", "browserless", "microlink", "gotenberg", "thumio", "mshots", "mcp"] as const;

export type InterfaceName = (typeof interfaceNames)[number];

const one = `(${interfaceNames.join("|")})`;

export const interfaceSettings = {
  COMPATIBLE_INTERFACES: z
    .string()
    .regex(new RegExp(`^(none|${one}( ?, ?${one})*)$`))
    .default(interfaceNames.join(","))
    .meta({
      valid: `none, or a comma-separated list of ${interfaceNames.join(", ")}`,
      description:
        "Other products whose requests are accepted, so that programs written for them work unchanged, and `mcp` for language models' tools. See docs/compatible.md and docs/mcp.md.",
    }),
};

export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl().meta({
    valid: `${validHttpUrl()}: credentials belong in OTEL_EXPORTER_OTLP_HEADERS, a query in OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`,
    description: "Base URL of an OpenTelemetry collector; traces are sent to `/v1/traces` below it. If empty, no traces are sent.",
    example: "http://localhost:4318",
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl("query").meta({
    valid: `${validHttpUrl("query")}: credentials belong in OTEL_EXPORTER_OTLP_HEADERS`,
    description: "Full URL to which traces are sent, instead of `OTEL_EXPORTER_OTLP_ENDPOINT`.",
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal("http/protobuf")
    .default("http/protobuf")
    .meta({ description: "Protocol of the collector; gRPC is not supported, so use its port for HTTP, usually 4318." }),
  OTEL_EXPORTER_OTLP_HEADERS: optionalText().meta({
    isList: true,
    secret: true,
    valid: "a comma-separated list of key=value with percent-encoded values",
    description: "Headers for the collector, such as `authorization=Bearer%20token`.",
  }),
  OTEL_SERVICE_NAME: z.string().min(1).default("tintype").meta({ description: "Name of the service in traces." }),
  OTEL_RESOURCE_ATTRIBUTES: optionalText().meta({
    isList: true,
    valid: "a comma-separated list of key=value with percent-encoded values",
    description: "Additional resource attributes for traces, such as `deployment.environment.name=staging`.",
  }),
  OTEL_TRACES_SAMPLER: z
    .enum(["always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"])
    .default("parentbased_always_on")
    .meta({
      description:
        "Which traces are sent: all, none, or a share. Samplers that begin with `parentbased` obey the caller's `traceparent`, which anyone with a key can send.",
    }),
  OTEL_TRACES_SAMPLER_ARG: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .meta({ description: "Share of traces that are sent, for samplers with `traceidratio`." }),
  OTEL_SDK_DISABLED: z.boolean().default(false).meta({ description: "Send no traces, regardless of the other settings." }),
};
