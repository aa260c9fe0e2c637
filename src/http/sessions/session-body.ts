/** The body that saves a page session: a state, or how to sign in. */

import { z } from "zod";
import { parameterOf } from "../../capture/options.ts";
import type { Config } from "../../settings/config.ts";
import { type PlannedStep, type SignInPlan, stepsOf } from "../../shared/sign-in-plan.ts";
import { type StorageState, sessionName, storageState } from "../../shared/storage-state.ts";

/** Limits on bodies, checked before a body is parsed, because a state may contain values of any depth. */
const sessionBodies = { megabytesMax: 1, bounds: { parts: 20_000, levels: 40 } };

/** For `acceptJson`. */
export const limitsOfBodies = ({ MAX_REQUEST_BODY_MB }: Pick<Config, "MAX_REQUEST_BODY_MB">) => ({
  config: { MAX_REQUEST_BODY_MB: Math.min(MAX_REQUEST_BODY_MB, sessionBodies.megabytesMax) },
  bounds: sessionBodies.bounds,
});

const stepsMax = 30;
const stepMembersMax = 5;
const secretsMax = 20;
const valueLengthMax = 4_096;
const signInHostsMax = 5;

const secret = { secret: true } as const;
const secretName = z.string().regex(/^[\w-]{1,64}$/);
const stepValue = z
  .union([z.string().max(valueLengthMax), z.number(), z.strictObject({ secret: secretName })])
  .meta({ ...secret, valid: `a string of at most ${valueLengthMax} characters, a number, or {"secret": "name"}` });

/** A host name as browsers write it. */
const hostName = z
  .string()
  .max(255, { abort: true })
  .regex(/^[\w.-]+$|^\[[0-9a-f:.]+\]$/i)
  .toLowerCase()
  .meta({ valid: "a host name in Punycode, without a scheme, port or path" });

/** Rejects oversized values before their parts are validated, since each part could produce an issue. */
function bounded<Schema extends z.ZodType>(schema: Schema, tooLarge: (value: object) => string | undefined) {
  return z.preprocess((value, { issues }) => {
    const message = typeof value === "object" && value !== null ? tooLarge(value) : undefined;
    if (message !== undefined) issues.push({ code: "custom", message, input: "" });
    return value;
  }, schema);
}

function tooManySteps(steps: object): string | undefined {
  if (!Array.isArray(steps)) return undefined;
  if (steps.length > stepsMax) return `must have at most ${stepsMax} steps`;
  const isLarge = steps.some((step) => typeof step === "object" && Object.keys(step ?? {}).length > stepMembersMax);
  return isLarge ? `must have at most ${stepMembersMax} members in each step` : undefined;
}

const tooManySecrets = (secrets: object) =>
  Object.keys(secrets).length > secretsMax ? `must have at most ${secretsMax} values` : undefined;

const tooManyHosts = (hosts: object) =>
  Array.isArray(hosts) && hosts.length > signInHostsMax ? `must have at most ${signInHostsMax} hosts` : undefined;

export const savedSession = z
  .object({
    name: sessionName.meta({ valid: "1 to 64 letters, digits, _ and -", description: "Name to send as the `session` option." }),
    state: storageState.optional().meta({
      ...secret,
      description:
        "In the format of Playwright's `storageState`: cookies, and each origin's storage. Send either this, or `url` and `steps`.",
    }),
    url: parameterOf("url").unwrap().optional().meta({ description: "URL where the steps begin, usually the sign-in page." }),
    steps: bounded(z.array(z.record(z.string(), stepValue)).min(1).max(stepsMax), tooManySteps)
      .optional()
      .meta({
        ...secret,
        valid: `1 to ${stepsMax} steps, such as {"type": "#password", "text": {"secret": "password"}}`,
        description: 'Steps that sign in, as in the `steps` option. A `text` may refer to a secret by name: `{"secret": "password"}`.',
      }),
    secrets: bounded(z.record(z.string(), z.string().min(1).max(valueLengthMax).meta(secret)), tooManySecrets)
      .optional()
      .meta({ ...secret, description: `At most ${secretsMax} values for the steps, by name. They are encrypted and never returned.` }),
    sign_in_hosts: bounded(z.array(hostName).max(signInHostsMax), tooManyHosts)
      .optional()
      .meta({
        valid: `at most ${signInHostsMax} host names, such as accounts.example.org`,
        description:
          "Additional hosts on which the steps may type, such as a single sign-on host. By default, they type only on the site of `url`: its registrable domain and all subdomains.",
      }),
  })
  .check(({ value, issues }) => {
    const wrong = problemOf(value);
    if (wrong) issues.push({ code: "custom", path: [wrong[0]], message: wrong[1], input: "" });
  });

export type SavedSession = z.output<typeof savedSession>;

/** The first problem, as the member's name and a message. */
function problemOf({ state, url, steps, secrets = {}, sign_in_hosts }: SavedSession): [keyof SavedSession, string] | undefined {
  const others = { url, steps, secrets: Object.keys(secrets).length > 0 || undefined, sign_in_hosts };
  const given = (Object.keys(others) as (keyof typeof others)[]).find((name) => others[name] !== undefined);
  if (state) return given && [given, "can't be combined with state"];
  if (!given) return ["state", "is missing: send it, or url and steps"];
  if (url === undefined) return ["url", "is missing: the URL at which the steps begin"];
  if (steps === undefined) return ["steps", "is missing: the steps that sign in"];
  if (!Object.keys(secrets).every((name) => secretName.safeParse(name).success))
    return ["secrets", "must have names of 1 to 64 letters, digits, _ and -"]; // Zod's own error would quote the value
  const issues = parameterOf("steps").safeParse(stepsOf({ steps, secrets })).error?.issues ?? [];
  const issue = issues.find(({ code }) => code === "custom"); // other issues have been reported already
  const problem = steps.map((step) => secretProblem(step, secrets)).find((one) => one !== undefined) ?? issue?.message;
  return problem === undefined ? undefined : ["steps", problem];
}

function secretProblem(step: PlannedStep, secrets: Record<string, string>): string | undefined {
  for (const [member, value] of Object.entries(step)) {
    if (typeof value !== "object") continue;
    if (member !== "text") return "must refer to secrets only in text members";
    if (!Object.hasOwn(secrets, value.secret)) return `uses the secret ${value.secret}, which is not in secrets`;
  }
  return undefined;
}

/** Converts a valid body to a state or a sign-in plan. */
export function readSaved({
  name,
  state,
  url = "",
  steps = [],
  secrets = {},
  sign_in_hosts: signInHosts = [],
}: SavedSession): { name: string } & ({ state: StorageState } | { plan: SignInPlan }) {
  return state ? { name, state } : { name, plan: { url, steps, secrets, signInHosts } };
}
