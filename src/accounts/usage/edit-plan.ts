/** Lets administrators edit plans. The table's trigger notifies all replicas, which drop their cached limits. */

import type { Database } from "../../database/database.ts";
import { isUniqueViolation } from "../../database/violations.ts";
import { AppError } from "../../shared/errors.ts";
import { changesOf, record } from "../people/audit.ts";
import type { Plan } from "./plans.ts";

export interface EditablePlan extends Plan {
  /** Product at the billing provider that grants the plan; null if none does. */
  billingProductId: string | null;
  /** Whether users on other plans see it. */
  isPublic: boolean;
  /** Number of accounts on the plan. */
  users: number;
}

/** The fields are named after the columns. */
export interface PlanEdit {
  name?: string | undefined;
  /** Requests per minute; if null, the service's own limit. */
  rate_limit?: number | null | undefined;
  /** Null if unlimited. */
  monthly_quota?: number | null | undefined;
  max_keys?: number | undefined;
  retention_days?: number | undefined;
  billing_product_id?: string | null | undefined;
}

const columns = ["name", "rate_limit", "monthly_quota", "max_keys", "retention_days", "billing_product_id"] as const;

/** Sorted by rank. */
export async function listEditablePlans(database: Database): Promise<EditablePlan[]> {
  const { rows } = await database.query<EditablePlan>(
    `select p.id, p.name, p.rate_limit as "rateLimit", p.monthly_quota as "monthlyQuota", p.max_keys as "maxKeys",
            p.retention_days as "retentionDays", p.billing_product_id as "billingProductId", p.is_public as "isPublic",
            (select count(*)::integer from account_plans a join users u on u.id = a.user_id
              where a.plan_id = p.id and u.deleted_at is null) as users
       from plans p order by p.rank`,
  );
  return rows;
}

/**
 * Omitted fields are left unchanged. Takes effect on all replicas immediately; stored screenshots keep their retention.
 * @throws {AppError} `not_found`; `invalid_parameters` if another plan has the product.
 */
export async function editPlan(database: Database, id: string, edit: PlanEdit): Promise<void> {
  await database
    .transaction(async (transaction) => {
      const { rows } = await transaction.query<Required<PlanEdit>>(`select ${columns.join(", ")} from plans where id = $1 for update`, [
        id,
      ]);
      if (!rows[0]) throw new AppError("not_found", { message: `There is no plan "${id}".` });
      const wanted = Object.fromEntries(columns.map((column) => [column, edit[column]]));
      const changes = changesOf<PlanEdit>(rows[0], wanted);
      if (changes.length === 0) return;
      const changed = columns.filter((column) => changes.some(({ field }) => field === column));
      const sets = changed.map((column, index) => `${column} = $${index + 2}`).join(", ");
      await transaction.query(`update plans set ${sets} where id = $1`, [id, ...changed.map((column) => edit[column])]);
      await record(transaction, { action: "plan.changed", subject: rows[0].name ?? id, subjectId: id, changes });
    })
    .catch((error) => {
      if (!isUniqueViolation(error)) throw error;
      const message = "billing_product_id already belongs to another plan: a product grants only one plan";
      throw new AppError("invalid_parameters", { details: [{ parameter: "billing_product_id", message }], cause: error });
    });
}
