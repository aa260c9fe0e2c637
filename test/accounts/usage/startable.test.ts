/** The number of queued captures used for scaling: those that could start if a browser were free. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { countStartable } from "../../../src/screenshots/queued/host-permits.ts";
import { createTestDatabase } from "../../support/database.ts";
import { createAccount } from "../accounts.ts";

const atOnce = 2;

test("if many captures are queued for one host, only as many count as may run there concurrently", async (t) => {
  const database = await createTestDatabase(t);
  const { userId } = await createAccount(database);
  let turn = 0;
  const queue = async (count: number, host: string | null, more: { isHeld?: boolean; status?: string; hasPlace?: boolean } = {}) => {
    const { isHeld = false, status = "queued", hasPlace = false } = more;
    await database.query(
      `insert into captures (id, user_id, status, request, host, turn, is_held, place_until, expires_at)
       select gen_random_uuid(), $1, $2, '', $3, case when $2 = 'queued' then $4 + n end, $5,
              case when $6 then now() + interval '1 minute' end, now() + interval '1 day'
         from generate_series(1, $7::integer) n`,
      [userId, status, host, turn, isHeld, hasPlace, count],
    );
    turn += count;
  };
  assert.equal(await countStartable(database, atOnce), 0);
  await queue(100, "one.example");
  assert.equal(await countStartable(database, atOnce), 2, "two of a hundred on one host");
  await queue(3, "two.example", { isHeld: true });
  assert.equal(await countStartable(database, atOnce), 4, "held captures count like others, up to the limit of their host");
  await queue(1, "one.example", { status: "running", hasPlace: true });
  assert.equal(await countStartable(database, atOnce), 3, "a running capture leaves room for one more on its host");
  await queue(5, null);
  assert.equal(await countStartable(database, atOnce), 8, "documents without a host have no limit");
});
