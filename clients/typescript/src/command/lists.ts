/** Lists of addresses. */

import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { UsageError } from "./say.ts";

const capturesMax = 1_000;

export interface Address {
  url: string;
  /** Line number in the list, starting at 1. */
  line: number;
}

/** @param file `-` for standard input. @throws {UsageError} */
export async function addressesIn(file: string): Promise<Address[]> {
  const lines = (file === "-" ? await text(process.stdin) : await read(file)).split(/\r\n|[\r\n]/);
  const urls = lines.map((line, index) => ({ url: line.trim(), line: index + 1 })).filter(({ url }) => url !== "" && !url.startsWith("#"));
  if (urls.length === 0) throw new UsageError("The list has no addresses.");
  if (urls.length > capturesMax) throw new UsageError(`The list has ${urls.length} addresses, but may have at most ${capturesMax}.`);
  return urls;
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`The list can't be read: ${(error as Error).message}.`);
  }
}
