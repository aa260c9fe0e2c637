/** The verdicts that rules can give. */

export type WallKind = "bot_wall" | "login_wall" | "consent_wall" | "parked" | "error_page";
