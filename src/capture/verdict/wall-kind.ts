/** The verdicts that rules give. */

export type WallKind = "bot_wall" | "login_wall" | "consent_wall" | "parked" | "error_page";
