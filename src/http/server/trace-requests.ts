/** Opens a span for each request if traces are exported. */

import type { FastifyInstance, FastifyRequest } from "fastify";
import { currentTracer, type OpenSpan } from "../../telemetry/tracing.ts";

/** Must be called before other hooks are added, so that they and the handlers run within the request's span. Health checks have none. */
export function traceRequests(app: FastifyInstance): void {
  const tracer = currentTracer();
  if (!tracer) return;
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  app.addHook("onRequest", (request, reply, done) => {
    const route = request.routeOptions.url;
    if (route?.startsWith("/health")) return done();
    const { traceparent } = request.headers;
    const attributes = { "http.request.method": request.method, "http.route": route, "tintype.request.id": request.id };
    const span = tracer.open(route === undefined ? request.method : `${request.method} ${route}`, attributes, {
      kind: "server",
      parent: typeof traceparent === "string" ? traceparent : undefined,
    });
    spans.set(request, span);
    reply.raw.once("close", () => {
      const status = reply.statusCode;
      const cache = reply.getHeader("x-cache");
      span.set({ "http.response.status_code": status, ...(typeof cache === "string" && { "tintype.cache": cache }) });
      const code = reply.getHeader("x-error-code");
      if (status >= 500) span.set({ "error.type": typeof code === "string" ? code : String(status) });
      span.end();
    });
    span.run(done);
  });
  // The body arrives in the connection's own context.
  app.addHook("preHandler", (request, _reply, done) => {
    const span = spans.get(request);
    return span ? span.run(done) : done();
  });
}
