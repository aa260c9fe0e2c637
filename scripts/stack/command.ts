/** Runs one of the project's commands. */

/** Exits with the code that `main` returns. If it throws, prints the error and exits with 1; with 130 if `signal` aborted. */
export async function runCommand(main: (args: string[]) => Promise<number>, signal: AbortSignal): Promise<never> {
  let code: number;
  try {
    code = await main(process.argv.slice(2));
  } catch (error) {
    if (!signal.aborted) console.error(error instanceof Error ? error.message : error);
    code = signal.aborted ? 130 : 1;
  }
  process.exit(code);
}
