/** Tracks how much of a shared resource, such as memory, each owner uses. */

export interface OwnerSums {
  /** Sum over all owners. */
  total(): number;
  of(owner: string): number;
  /** @param by negative when the owner releases some. Owners whose sum is zero are not stored. */
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
