/** Describes the machine of a run. */

import { spawnSync } from "node:child_process";
import { cpus, release, totalmem } from "node:os";
import { version } from "../src/shared/version.ts";

export interface Machine {
  tintype: string;
  cores: number;
  cpu: string;
  memoryGb: number;
  system: string;
  node: string;
  chromium: string;
  sandbox: boolean;
  redis: string;
  date: string;
}

export function readMachine(
  chromium: { executablePath: string; sandbox: boolean; env: Record<string, string> },
  redisIsReal: boolean,
): Machine {
  const { stdout } = spawnSync(chromium.executablePath, ["--version"], {
    encoding: "utf8",
    env: { ...process.env, ...chromium.env },
    timeout: 10_000,
  });
  return {
    tintype: version,
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${process.platform} ${release()}`,
    node: process.versions.node,
    chromium: /\d+(\.\d+)+/.exec(stdout ?? "")?.[0] ?? "unknown",
    sandbox: chromium.sandbox,
    redis: redisIsReal ? "its own process" : "an in-memory substitute, slower than Redis",
    date: new Date().toISOString().slice(0, 10),
  };
}

export function formatMachine(machine: Machine): string {
  const { tintype, cores, cpu, memoryGb, system, node, chromium, sandbox, redis, date } = machine;
  const where = `${cores} cores (${cpu}), ${memoryGb} GB, ${system}`;
  return `Tintype ${tintype} on ${where}; Node ${node}, Chromium ${chromium} (headless, sandbox ${sandbox ? "on" : "OFF"}); Redis: ${redis}; ${date}.`;
}
