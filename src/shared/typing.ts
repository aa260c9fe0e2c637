/** A capture that types into pages. If it fails, it counts against the limits on sign-ins: see accounts/sessions/sign-in-attempts.ts. */
export interface Typing {
  /** Call for each page that is shown after typing, since a form may lead to any site. @throws {AppError} `rate_limited`. */
  reach(page: URL): Promise<void>;
  /** Call before typing a password: a failed capture counts once per password typed. @throws {AppError} `rate_limited`. */
  countPassword(): Promise<void>;
  /** Call when the capture has failed. Counts it against the account's limits on sign-ins; further calls do nothing. Never rejects. */
  countFailure(): Promise<void>;
}
