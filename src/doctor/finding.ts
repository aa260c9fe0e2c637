/** What a check of the installation finds. */

export interface Check {
  name: string;
  /** @returns what is fine. @throws {Concern} for what is not; any other error is a failure with its own message. */
  run(): Promise<string>;
}

/** Something that an operator should change. */
export class Concern extends Error {
  override readonly name = "Concern";
  readonly advice: string;
  readonly isFailure: boolean;

  /**
   * @param advice what to do.
   * @param isFailure whether captures fail because of it.
   */
  constructor(message: string, advice: string, isFailure = true) {
    super(message);
    this.advice = advice;
    this.isFailure = isFailure;
  }
}
