/** The sign-in library finds everything it needs in our schema. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { getMigrations } from "better-auth/db/migration";
import { pino } from "pino";
import { authOptions } from "../../../src/accounts/people/auth.ts";
import { createEmptyTestDatabase, createTestDatabase } from "../../support/database.ts";

const settings = {
  secret: "x".repeat(32),
  publicUrl: "http://localhost:3001",
  log: pino({ level: "silent" }),
  signUp: { admit: async () => ({ invitationId: null, isAddressKnown: false }) },
  mail: undefined,
};

test("the sign-in library requires no migration of our schema", async (t) => {
  const { pool } = await createTestDatabase(t);
  const { toBeCreated, toBeAdded, toBeAddedIndexes, unsafeChanges, schemaProblems } = await getMigrations(
    authOptions({ ...settings, pool }),
  );
  assert.deepEqual(
    { toBeCreated, toBeAdded, toBeAddedIndexes, unsafeChanges, schemaProblems },
    {
      toBeCreated: [],
      toBeAdded: [],
      toBeAddedIndexes: [],
      unsafeChanges: [],
      schemaProblems: [],
    },
  );
});

test("the check detects a missing column", async (t) => {
  const { pool } = await createEmptyTestDatabase(t);
  const { toBeCreated } = await getMigrations(authOptions({ ...settings, pool }));
  assert.deepEqual(toBeCreated.map(({ table }) => table).sort(), [
    "identities",
    "passkeys",
    "sessions",
    "two_factors",
    "users",
    "verifications",
  ]);
});
