/** Node's HTTP module without what only an `import` of it loads: its own `fetch` and WebSocket, which took 40 ms of each start. */

export const { request: httpRequest, ServerResponse, STATUS_CODES } = process.getBuiltinModule("node:http");
