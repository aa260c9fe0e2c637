/** `doctor`: checks the settings, the stores and this machine, and suggests fixes. */

import { pino } from "pino";
import { settings } from "../settings/config.ts";
import { ConfigError, readConfig } from "../settings/read-config.ts";
import { withDeadline } from "../shared/deadline.ts";
import { print, UsageError } from "./command.ts";
import { captureChecks } from "./doctor/captures.ts";
import { type Check, Concern } from "./doctor/finding.ts";
import { storeChecks } from "./doctor/stores.ts";

const checkTimeoutMs = 90_000;

/**
 * @param args the arguments after the command's name; at most one, the URL of a page to reach.
 * @returns the exit code: 1 if the settings are invalid or a check failed, otherwise 0.
 */
export async function runDoctor(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [text] = args;
  const target = text === undefined ? undefined : URL.parse(text);
  if (args.length > 1 || target === null || (target && !/^https?:$/.test(target.protocol)))
    throw new UsageError("doctor takes at most one argument: the URL of a page to reach, such as https://example.com/.");
  const config = await readConfig(env).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    reportSettings(error.problems, env);
    return undefined;
  });
  if (!config) return 1;
  reportExamples(env);
  const log = pino({ level: "silent" });
  const failed: string[] = [];
  for (const check of [...storeChecks(config, log), ...captureChecks(config, env, target, log)]) {
    const advice = await problemOf(check);
    if (advice !== undefined) failed.push(`${check.name}: ${advice}`);
  }
  if (failed.length === 0) print("\nNo problems found that would keep the service from working.");
  else print(`\n${failed.length === 1 ? oneFailed : someFailed(failed.length)}, then run doctor again:\n${numbered(failed)}`);
  return failed.length === 0 ? 0 : 1;
}

const oneFailed = "1 check failed. Fix the problem";
const someFailed = (count: number) => `${count} checks failed. Fix the problems in this order`;

/** Runs and reports a check. Returns advice on fixing a problem that makes captures fail; undefined if there is none. */
async function problemOf({ name, run }: Check): Promise<string | undefined> {
  try {
    report(
      "ok",
      name,
      await withDeadline(run(), checkTimeoutMs, () => {
        throw new Error(`no response within ${checkTimeoutMs / 1000} s`);
      }),
    );
    return undefined;
  } catch (error) {
    const isFailure = !(error instanceof Concern) || error.isFailure;
    const { message } = error as Error;
    report(isFailure ? "FAILED" : "warning", name, message);
    if (error instanceof Concern) print(`${" ".repeat(18)}${error.advice}`);
    if (!isFailure) return undefined;
    return error instanceof Concern ? error.advice : message;
  }
}

/** Lists the problems in the order of the settings schema, which is the order in which to fix them. */
function reportSettings(problems: readonly string[], env: NodeJS.ProcessEnv): void {
  const advice = problems.length === 1 ? "1 problem. Fix it first" : `${problems.length} problems. Fix them in this order`;
  report("FAILED", "settings", `${advice}; the other checks require valid settings.`);
  print(numbered(problems));
  if (!env.NODE_ENV && !env.AUTH_SECRET)
    print(
      "\nNODE_ENV and AUTH_SECRET are not set. If you have no .env yet, copy .env.example to .env, fill in its first block, and add --env-file=.env after `node`.",
    );
  else if (!env.AUTH_SECRET) print("\nTo generate AUTH_SECRET, run: openssl rand -hex 32");
}

/** Warns about settings that still contain `change-me`, as in `.env.example`. */
function reportExamples(env: NodeJS.ProcessEnv): void {
  const names = Object.keys(settings.shape).filter((name) => env[name]?.includes("change-me"));
  if (names.length === 0) {
    report("ok", "settings", "valid");
    return;
  }
  report("warning", "settings", `valid, but still set to the example: ${names.join(", ")}`);
  print(`${" ".repeat(18)}Replace change-me, which is publicly known.`);
}

function numbered(lines: readonly string[]): string {
  return lines.map((line, index) => `${String(index + 1).padStart(3)}. ${line}`).join("\n");
}

function report(state: string, name: string, text: string): void {
  print(`${state.padEnd(8)}${name.padEnd(10)}${text}`);
}
