/** Node's HTTP module, obtained without `import`, which would also load `fetch` and WebSocket and delay startup by 40 ms. */

export const { request: httpRequest, ServerResponse, STATUS_CODES } = process.getBuiltinModule("node:http");
