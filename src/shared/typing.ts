/** A capture that has typed. Its failure counts against the limit on sign-ins, see accounts/sessions/sign-in-attempts.ts. */
export interface Typing {
  /** Called for each page that is shown afterwards: a caller's own form may lead to any site. @throws {AppError} `rate_limited`. */
  reach(page: URL): Promise<void>;
  /** Call before typing a password. Each further one of a capture counts as another failure, if it fails. @throws {AppError} `rate_limited`. */
  countPassword(): Promise<void>;
  /** Counts the capture together with the account's sign-ins, once. Never rejects. */
  countFailure(): Promise<void>;
}
