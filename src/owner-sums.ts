/** What each owner, such as an account, has of something shared: running captures, bytes in memory. */

export interface OwnerSums {
  /** Of all owners. */
  total(): number;
  of(owner: string): number;
  /** @param by negative when the owner returns some. An owner that has nothing takes no memory. */
  add(owner: string, by: number): void;
}

export function createOwnerSums(): OwnerSums {
  const sums = new Map<string, number>();
  let total = 0;
  const of = (owner: string) => sums.get(owner) ?? 0;
  return {
    total: () => total,
    of,
    add(owner, by) {
      total += by;
      const sum = of(owner) + by;
      if (sum > 0) sums.set(owner, sum);
      else sums.delete(owner);
    },
  };
}
