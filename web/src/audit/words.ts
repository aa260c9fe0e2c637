/** Names of the audit log's actions, people and fields. */

import type { AuditEntry } from "../api/types.ts";

type Action = AuditEntry["action"];
type Change = AuditEntry["changes"][number];

export const actionNames: Record<Action, string> = {
  "account.created": "Account created",
  "account.renamed": "Name changed",
  "account.role_changed": "Role changed",
  "account.disabled": "Account disabled",
  "account.enabled": "Account enabled",
  "account.deleted": "Account deleted",
  "sign_in.password_changed": "Password changed",
  "sign_in.password_reset": "Password reset",
  "sign_in.reset_link_created": "Password link created",
  "sign_in.address_confirmed": "E-mail address confirmed",
  "sign_in.app_added": "Authenticator app added",
  "sign_in.app_removed": "Authenticator app removed",
  "sign_in.recovery_codes_renewed": "Recovery codes renewed",
  "sign_in.passkey_added": "Passkey added",
  "sign_in.passkey_removed": "Passkey removed",
  "sign_in.second_factor_reset": "Second factor reset",
  "key.created": "Key created",
  "key.changed": "Key changed",
  "key.rotated": "Key rotated",
  "key.revoked": "Key revoked",
  "plan.assigned": "Account's plan changed",
  "plan.changed": "Plan edited",
  "invitation.created": "Invitation created",
  "invitation.revoked": "Invitation revoked",
  "webhook.secret_shown": "Webhook secret shown",
  "webhook.secret_rotated": "Webhook secret rotated",
  "webhook.resumed": "Deliveries to webhook URL resumed",
  "session.created": "Page session saved",
  "session.changed": "Page session replaced",
  "session.updated": "Page session updated by a capture",
  "session.signed_in": "Page session signed in",
  "session.deleted": "Page session deleted",
  "destination.created": "Destination added",
  "destination.changed": "Destination replaced",
  "destination.deleted": "Destination deleted",
};

export const kindNames = {
  account: "Account",
  sign_in: "Sign-in",
  key: "Keys",
  plan: "Plans",
  invitation: "Invitations",
  webhook: "Webhooks",
  session: "Page sessions",
  destination: "Destinations",
};

export const byNames: Record<AuditEntry["by"], string> = {
  owner: "You",
  administrator: "An administrator",
  api: "An API key",
  command: "The operator, on the command line",
  billing: "Billing",
  service: "The service",
};

const fieldNames: Record<string, string> = {
  name: "Name",
  role: "Role",
  allowed_domains: "Allowed websites",
  allowed_targets: "Allowed targets",
  allow_missing_origin: "Requests without origin",
  require_signature: "Signature required",
  enabled: "Enabled",
  expires_at: "Expires",
  plan: "Plan",
  source: "Set by",
  rate_limit: "Requests per minute",
  monthly_quota: "Screenshots per month",
  max_keys: "Keys",
  retention_days: "Days that screenshots are kept",
  billing_product_id: "Product at the billing provider",
};

/** "Name: Blog → Site". */
export function changeText({ field, from, to }: Change): string {
  return `${fieldNames[field] ?? field}: ${valueText(from)} → ${valueText(to)}`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return "not set";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Array.isArray(value) ? value.join(", ") : String(value);
}
