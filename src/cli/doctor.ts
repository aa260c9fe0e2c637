/** `doctor`: checks the settings, the stores and this machine, and suggests fixes. */

import { pino } from "pino";
import { readConfig } from "../settings/read-config.ts";
import { withDeadline } from "../shared/deadline.ts";
import { print, UsageError } from "./command.ts";
import { captureChecks } from "./doctor/captures.ts";
import { type Check, Concern } from "./doctor/finding.ts";
import { storeChecks } from "./doctor/stores.ts";

const checkTimeoutMs = 90_000;

/**
 * @param args arguments after the command's name: at most the URL of a page to reach.
 * @returns the exit code: 1 if a check failed.
 * @throws {ConfigError} for settings with which the service wouldn't start.
 */
export async function runDoctor(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [text] = args;
  const target = text === undefined ? undefined : URL.parse(text);
  if (args.length > 1 || target === null || (target && !/^https?:$/.test(target.protocol)))
    throw new UsageError("Give doctor at most one argument: the URL of a page to reach, such as https://example.com/.");
  const config = await readConfig(env);
  report("ok", "settings", "valid");
  const log = pino({ level: "silent" });
  let failures = 0;
  for (const check of [...storeChecks(config, log), ...captureChecks(config, env, target, log)]) {
    if (!(await passes(check))) failures += 1;
  }
  print(failures === 0 ? "\nNothing prevents the service from working." : `\n${failures} of the checks failed.`);
  return failures === 0 ? 0 : 1;
}

/** @returns false if the check found a problem that makes captures fail. */
async function passes({ name, run }: Check): Promise<boolean> {
  try {
    report(
      "ok",
      name,
      await withDeadline(run(), checkTimeoutMs, () => {
        throw new Error(`no answer in ${checkTimeoutMs / 1000} s`);
      }),
    );
    return true;
  } catch (error) {
    const isFailure = !(error instanceof Concern) || error.isFailure;
    report(isFailure ? "FAILED" : "warning", name, (error as Error).message);
    if (error instanceof Concern) print(`${" ".repeat(18)}${error.advice}`);
    return !isFailure;
  }
}

function report(state: string, name: string, text: string): void {
  print(`${state.padEnd(8)}${name.padEnd(10)}${text}`);
}
