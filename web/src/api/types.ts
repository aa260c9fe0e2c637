/** The shapes of the management API's answers. */

/** ISO 8601, UTC. */
export type Time = string;
/** `YYYY-MM-DD`, UTC. */
export type Day = string;

export interface User {
  id: string;
  name: string;
  email: string;
  email_verified: boolean;
  image: string | null;
  role: "user" | "admin";
  has_password: boolean;
  created_at: Time;
}

export interface Month {
  start: Time;
  /** When the count begins anew. */
  end: Time;
  used: number;
  /** null: unlimited. */
  quota: number | null;
  remaining: number | null;
}

export interface Plan {
  id: string;
  name: string;
  rate_limit: { requests: number; window_seconds: number };
  monthly_quota: number | null;
  max_keys: number;
  retention_days: number;
}

export interface Account {
  user: User;
  plan: Plan & {
    source: "default" | "manual" | "billing";
    status: "active" | "trialing" | "past_due" | "canceled";
    current_period_end: Time | null;
    cancel_at_period_end: boolean;
  };
  month: Month;
  keys: { used: number; max: number };
  first_steps: { key_made: boolean; picture_taken: boolean; key_used: boolean };
}

export interface Session {
  id: string;
  current: boolean;
  ip_address: string | null;
  user_agent: string | null;
  created_at: Time;
  last_seen_at: Time;
  expires_at: Time;
}

export interface KeyRules {
  name: string;
  allowed_domains: string[];
  allowed_targets: string[];
  allow_missing_origin: boolean;
  /** Only signed requests are taken. */
  require_signature: boolean;
  expires_at: Time | null;
}

export interface Key extends KeyRules {
  id: string;
  version: number;
  hint: string;
  state: "active" | "disabled" | "expired" | "replaced" | "revoked";
  enabled: boolean;
  replaced_by: string | null;
  revoked_at: Time | null;
  last_used_at: Time | null;
  created_at: Time;
}

export interface KeyCheck {
  entries: { input: string; entry: string | null; problem: string | null }[];
  verdict: { allowed: boolean; entry: string | null; reason: string } | null;
}

export interface Screenshot {
  id: string;
  url: string;
  status: "pending" | "done" | "failed";
  /** null: playground. */
  key_id: string | null;
  key_name: string | null;
  key_hint: string | null;
  format: string | null;
  width: number | null;
  height: number | null;
  bytes: number | null;
  duration_ms: number | null;
  /** Path of the picture; null when it is not kept. */
  image: string | null;
  error: string | null;
  error_message: string | null;
  created_at: Time;
  expires_at: Time;
}

interface Counts {
  captured: number;
  cached: number;
  failed: number;
  rejected: number;
  bytes: number;
}

export interface UsageDay extends Counts {
  day: Day;
}

export interface Usage {
  month: Month;
  days: UsageDay[];
  keys: (Counts & { key_id: string | null; name: string | null; hint: string | null })[];
  totals: Counts;
}

export interface AdminUser {
  id: string;
  name: string;
  email: string;
  role: "user" | "admin";
  disabled_at: Time | null;
  created_at: Time;
  plan_id: string;
  plan_source: string;
  rate_limit_override: number | null;
  monthly_quota_override: number | null;
  month: Month;
  keys_active: number;
  last_used_at: Time | null;
}

export interface AdminTotals {
  users: number;
  users_disabled: number;
  keys_active: number;
  screenshots_stored: number;
  days: UsageDay[];
}
