/** Ways that hide the secret's address behind another notation or an attacker's host name. */

import { script, type Way } from "./way.ts";

const spelled = (host: string): Way => ({
  name: `spelled ${host}`,
  files: ({ port }) => ({ "": `<!doctype html><meta charset=utf-8><body><img src="http://${host}:${port}/">` }),
});

/** DNS rebinding: the name resolves to the outer site for the page, then to the secret's address. */
const rebound = (name: string, code: string, files?: Way["files"]): Way => ({
  ...script(`rebinding, ${name}`, () => code, files),
  start: ({ named }) => named("rebind.test"),
  usesNames: true,
});

const leads = (name: string, host: string): Way => ({ name, start: ({ named }) => named(host), usesNames: true });

export const names: Way[] = [
  spelled("localhost"),
  spelled("a.localhost"),
  spelled("2130706433"),
  spelled("127.1"),
  spelled("ⓛⓞⓒⓐⓛⓗⓞⓢⓣ"),
  spelled("[::ffff:127.0.0.1]"),
  spelled("0.0.0.0"),
  leads("name with a private address", "private.test"),
  leads("name with a mapped address", "mapped.test"),
  leads("name with mixed addresses", "mixed.test"),
  rebound("fetch", 'fetch("again")'),
  rebound("navigation", 'location = "again"'),
  rebound("frame", 'document.body.append(Object.assign(document.createElement("iframe"), { src: "again" }))'),
  rebound("WebSocket", 'new WebSocket("ws://" + location.host + "/again")'),
  rebound("worker", 'new Worker("worker.js")', () => ({ "worker.js": "" })),
];
