/** A page with the verdict a person would give. */

export interface SamplePage {
  name: string;
  expected: "ok" | "blank" | "error_page" | "bot_wall" | "login_wall" | "consent_wall" | "parked";
  /** That the caller requests; `/` if absent. */
  path?: string;
  /** 200 if absent. */
  status?: number;
  /** Path on the same host that the request is redirected to. */
  redirect?: string;
  html: string;
  /** Where it is described. */
  source?: string;
}
