/** Runs one of the project's commands to its end. */

/** Ends the process with the code of `main`, or with what went wrong on the terminal: 130 when `signal` stopped it, else 1. */
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
