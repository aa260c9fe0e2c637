/** Recognizes PostgreSQL's constraint violations. */

export function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown }).code === "23505";
}

export function isForeignKeyViolation(error: unknown): boolean {
  return (error as { code?: unknown }).code === "23503";
}
