/** Output of the command, and the errors that end it. */

/** An error in the command line itself. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Writes a line for people; standard output is only for the result. */
export const say = (text: string) => void process.stderr.write(`${text}\n`);
export const print = (text: string) => void process.stdout.write(`${text}\n`);

/** The help of every command. */
export const exitsUsage = `Exit codes:
  0    all is done
  1    a capture has failed, or a result couldn't be saved
  2    the command line is wrong; nothing was sent
  3    the service refused the request, failed, or can't be reached
  130  interrupted by Ctrl-C
`;

/**
 * `unread`: the reader of the output has exited, as with `| head`; SIGPIPE would end other programs in this case, which shells report
 * with the same code.
 */
export const exitCodes = { done: 0, failed: 1, usage: 2, refused: 3, interrupted: 130, unread: 141 };
