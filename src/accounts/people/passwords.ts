/** Passwords: how long they are, and their hashes. */

/** Characters; the upper bound keeps hashing one from being work that anybody can make us do. */
export const passwordLength = { min: 10, max: 128 };

export async function hashOfPassword(password: string): Promise<string> {
  const { hashPassword } = await crypto();
  return await hashPassword(password);
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const { verifyPassword } = await crypto();
  return await verifyPassword({ hash, password });
}

/** Loaded when it is needed: a service that only takes pictures does without. */
function crypto() {
  return import("better-auth/crypto");
}
