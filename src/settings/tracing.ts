/** Settings for tracing, named as in the OpenTelemetry specification. */

import { z } from "zod";
import { optionalText } from "./types.ts";

export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalText().meta({
    description: "Base URL of an OpenTelemetry collector; traces are sent to `/v1/traces` below it. Without it, no traces are sent.",
    example: "http://localhost:4318",
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optionalText().meta({
    description: "Full URL to which traces are sent, instead of `OTEL_EXPORTER_OTLP_ENDPOINT`.",
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal("http/protobuf")
    .default("http/protobuf")
    .meta({ description: "Protocol of the collector; gRPC is not supported, so use its port for HTTP, usually 4318." }),
  OTEL_EXPORTER_OTLP_HEADERS: optionalText().meta({
    secret: true,
    valid: "a comma-separated list of key=value with percent-encoded values",
    description: "Headers for the collector, such as `authorization=Bearer%20token`.",
  }),
  OTEL_SERVICE_NAME: z.string().min(1).default("tintype").meta({ description: "Name of the service in traces." }),
  OTEL_RESOURCE_ATTRIBUTES: optionalText().meta({
    valid: "a comma-separated list of key=value with percent-encoded values",
    description: "Additional resource attributes for traces, such as `deployment.environment.name=staging`.",
  }),
  OTEL_TRACES_SAMPLER: z
    .enum(["always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"])
    .default("parentbased_always_on")
    .meta({
      description:
        "Which traces are sent: all, none, or a share. Those with `parentbased` obey the caller's `traceparent`, which anyone with a key can send.",
    }),
  OTEL_TRACES_SAMPLER_ARG: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .meta({ description: "Share of traces that are sent, for samplers with `traceidratio`." }),
  OTEL_SDK_DISABLED: z.boolean().default(false).meta({ description: "Send no traces, regardless of the other settings." }),
};
