/** Calls `create` on first use, and again after a failure. `created()` resolves with undefined before the first use and after a failure. */
export function once<T>(create: () => Promise<T>): (() => Promise<T>) & { created(): Promise<T | undefined> } {
  let creating: Promise<T> | undefined;
  const get = () => {
    creating ??= create().catch((error) => {
      creating = undefined;
      throw error;
    });
    return creating;
  };
  return Object.assign(get, { created: async () => await creating });
}
