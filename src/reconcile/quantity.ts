/** Kubernetes quantities, as far as sizes are compared: k8s.io/apimachinery pkg/api/resource/quantity.go. */

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:([eE])([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i)?)$/;

const DECIMAL_EXPONENT: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY_POWER: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };

const NANO = 1_000_000_000n;

/**
 * The value in whole bytes, a fraction rounded up (away from zero), which is what Quantity.Value() gives.
 * "" is 0, as an absent quantity is; null for a text that is no quantity.
 */
export function bytesOf(quantity: string): bigint | null {
  const nanos = nanosOf(quantity);
  if (nanos === null) return null;
  return (nanos + (nanos < 0n ? 1n - NANO : NANO - 1n)) / NANO;
}

/**
 * The value in billionths of a byte, beyond which no quantity goes: what Quantity.Cmp() compares. A finer one is
 * rounded up (away from zero). "" and what is no quantity as with bytesOf.
 */
export function nanosOf(quantity: string): bigint | null {
  if (quantity === '') return 0n;
  const match = FORM.exec(quantity);
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', exponentMark, exponent, suffix = ''] = match;
  if (whole === '' && fraction === '') return null;
  const power = exponentMark === undefined ? (DECIMAL_EXPONENT[suffix] ?? 0) : Number(exponent);
  const scale = power - fraction.length + 9;
  const multiplier = 1024n ** BigInt(BINARY_POWER[suffix] ?? 0) * 10n ** BigInt(Math.max(scale, 0));
  const divisor = 10n ** BigInt(Math.max(-scale, 0));
  const magnitude = (BigInt(whole + fraction) * multiplier + divisor - 1n) / divisor;
  return sign === '-' ? -magnitude : magnitude;
}
