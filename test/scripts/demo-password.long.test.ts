/** The password of the account that `npm run local` prints. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { demoAccount, keyAndPasswordOf } from "../../scripts/stack/keys.ts";
import { setRole } from "../../src/accounts/people/users.ts";
import { startMailServer } from "../support/mail-server.ts";
import { startService } from "../support/service.ts";

const origin = "http://localhost:3001";

test("the demo password signs in as an administrator, stays the same, and is set on a new database, even with mail", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tintype-demo-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const passwords: string[] = [];
  const mail = await startMailServer(t);
  for (const settings of [{}, mail.settings]) {
    const service = await startService(t, { WEB_PUBLIC_URL: origin, ROLE: "api", ...settings });
    const context = { folder, url: service.origin, env: { ...process.env, ...service.env } };
    for (let start = 1; start <= 2; start++) {
      const [, password] = await keyAndPasswordOf(demoAccount, context, t.signal);
      passwords.push(password);
      const answer = await fetch(`${service.origin}/v1/auth/sign-in`, {
        method: "POST",
        headers: { origin, "content-type": "application/json" },
        body: JSON.stringify({ email: demoAccount.email, password }),
      });
      assert.equal(answer.status, 200);
      assert.equal((await answer.json()).user.role, "admin");
      if (start === 1) await setRole(service.database, demoAccount.email, "user"); // as in data from an earlier version
    }
  }
  assert.equal(new Set(passwords).size, 1);
  assert.equal(mail.received.length, 0);
});
