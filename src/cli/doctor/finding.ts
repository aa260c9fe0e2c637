/** Types of the installation checks and their findings. */

export interface Check {
  name: string;
  /**
   * @returns a description of what works, if the check succeeds.
   * @throws {Concern} for a problem; any other error is a failure with its own message.
   */
  run(): Promise<string>;
}

/** A problem for the operator to fix. */
export class Concern extends Error {
  override readonly name = "Concern";
  readonly advice: string;
  readonly isFailure: boolean;

  /**
   * @param advice how to fix the problem.
   * @param isFailure whether the problem makes captures fail.
   */
  constructor(message: string, advice: string, isFailure = true) {
    super(message);
    this.advice = advice;
    this.isFailure = isFailure;
  }
}
