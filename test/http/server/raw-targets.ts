/** A service and two accounts, for tests that send request targets as bytes. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { exchange, type RawAnswer } from "../../support/raw.ts";
import type { Scope } from "../../support/scope.ts";
import { startService, type TestService } from "../../support/service.ts";

export const take = "/v1/screenshots/take";
export const good = "http://127.0.0.1:9/good";
export const evil = "http://127.0.0.1:9/evil";
export const encoded = encodeURIComponent;

export interface Account {
  key: string;
  signingSecret: string;
}

export interface RawTargets {
  service: TestService;
  victim: Account;
  attacker: Account;
  /** Sends one request for each target, all on one connection; after a response that closes it, a new connection is opened. */
  send(targets: string[], method?: string, headers?: string): Promise<RawAnswer[]>;
  sendOne(target: string, method?: string, headers?: string): Promise<RawAnswer>;
  /** Fails unless the victim's `query` captures `url`, with the key at either end of the query. */
  assertCaptures(query: string, url: string, what: string): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: response bodies are untyped
export const json = ({ body }: RawAnswer): any => JSON.parse(body.toString());

export function sign(query: string, { signingSecret }: Account): string {
  return createHmac("sha256", signingSecret).update(query).digest("hex");
}

export async function startRawTargets(scope: Scope): Promise<RawTargets> {
  const service = await startService(scope, { ROLE: "api", EGRESS_ALLOWED_HOSTS: "127.0.0.1:9", RATE_LIMIT_MAX_REQUESTS: "1000000" });
  const victim = await createAccount(service);

  async function send(targets: string[], method = "GET", headers = ""): Promise<RawAnswer[]> {
    const answers: RawAnswer[] = [];
    while (answers.length < targets.length) {
      const rest = targets.slice(answers.length);
      const text = rest.map((target, index) => {
        const connection = index === rest.length - 1 ? "close" : "keep-alive";
        return `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\n${headers}\r\n`;
      });
      const some = await exchange(service.origin, { pieces: [text.join("")], methods: targets.map(() => method) });
      assert.ok(some.length > 0, `no response to ${rest[0]}`);
      answers.push(...some);
    }
    return answers;
  }

  const sendOne: RawTargets["sendOne"] = async (target, method, headers) => (await send([target], method, headers))[0] as RawAnswer;

  return {
    service,
    victim,
    attacker: await createAccount(service),
    send,
    sendOne,
    async assertCaptures(query, url, what) {
      for (const withKey of [`api_key=${victim.key}&${query}`, `${query}&api_key=${victim.key}`]) {
        const answer = await sendOne(`${take}?${withKey}`);
        assert.equal(answer.status, 200, `${what}: ${answer.body}`);
        assert.equal(json(answer).options.url, url, what);
      }
    },
  };
}

async function createAccount(service: TestService): Promise<Account> {
  const { key, userId } = await service.createAccount({ rateLimit: 1_000_000 });
  const { rows } = await service.pool.query("select id from api_keys where user_id = $1", [userId]);
  return { key, signingSecret: service.services.signatures.secretOf(rows[0].id) };
}
