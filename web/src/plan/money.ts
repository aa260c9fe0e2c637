/** Formats amounts of money. */

/** @param amount in the currency's smallest unit. */
export function moneyOf(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en-GB", {
    style: "currency",
    currency: currency.toUpperCase(),
    trailingZeroDisplay: "stripIfInteger",
  });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
