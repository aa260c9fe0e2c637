/** API queries for the audit log: an account's entries and, for administrators, everybody's. */

import { pagesQuery } from "./pages.ts";
import type { AdminAuditEntry, AuditEntry } from "./types.ts";

export interface AuditFilter {
  kind?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  /** Only for administrators. */
  user_id?: string | undefined;
}

interface AuditPage<Entry> {
  entries: Entry[];
  next_cursor: string | null;
}

export const auditQuery = (filter: AuditFilter) =>
  pagesQuery<AuditPage<AuditEntry>>(["audit", filter], "/v1/account/audit", { limit: 50, ...filter });

export const adminAuditQuery = (filter: AuditFilter) =>
  pagesQuery<AuditPage<AdminAuditEntry>>(["admin", "audit", filter], "/v1/admin/audit", { limit: 50, ...filter });
