/** Formats numbers for tables. */

export function number(value: number, digits = 1): string {
  return Number.isFinite(value) ? value.toFixed(digits) : "–";
}

export function ratio(value: number): string {
  return Number.isFinite(value) ? `${value.toFixed(2)}×` : "–";
}

/** 0.0123 is 1.2 %. */
export function percent(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %` : "–";
}
