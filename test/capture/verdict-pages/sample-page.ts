/** A page, and the verdict a person would give. */

export interface SamplePage {
  name: string;
  expected: "ok" | "blank" | "error_page" | "bot_wall" | "login_wall" | "consent_wall" | "parked";
  /** Path that the caller requests; `/` by default. */
  path?: string;
  /** Status of the response; 200 by default. */
  status?: number;
  /** Path on the same host that the request is redirected to. */
  redirect?: string;
  html: string;
  /** Where the page is described. */
  source?: string;
}
