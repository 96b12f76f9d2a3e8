// Amounts as people type them, and as the API counts them: whole minor units.

import { minorDigits } from '../lib/format';

/** `12,50` or `12.50` or `1 234` of EUR: 1250, 1250, 123400. Null if it is no amount of that currency. */
export function parseMoney(text: string, currency: string): number | null {
  const digits = minorDigits(currency);
  const bare = text.replace(/[\s\u00a0\u202f'’]/g, '');
  const grouped = /^\d{1,3}([.,])\d{3}(\1\d{3})*$/.exec(bare);
  // 1.234 is a thousand and more where there are two digits of cents, and 1.234 dinars where there are three.
  const plain = grouped && digits < 3 ? bare.replaceAll(grouped[1]!, '') : bare.replace(/([.,])(?=\d{3}(?:[.,]))/g, '');
  const found = /^(\d{1,12})(?:[.,](\d*))?$/.exec(plain);
  if (!found) return null;
  const [, whole = '', cents = ''] = found;
  if (cents.length > digits) return null;
  return Number(whole) * 10 ** digits + Number(cents.padEnd(digits, '0') || 0);
}

/** 1250 of EUR: `12.50`, to be changed by hand. */
export function writeMoney(amount: number, currency: string): string {
  const digits = minorDigits(currency);
  return (amount / 10 ** digits).toFixed(digits);
}

/** `7.5` or `7,5`, in percent: 750 hundredths. Null if it is no share between nothing and all. */
export function parsePercent(text: string): number | null {
  const found = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(text.replace(/[\s%]/g, ''));
  if (!found) return null;
  const points = Number(found[1]) * 100 + Number((found[2] ?? '').padEnd(2, '0'));
  return points <= 10_000 ? points : null;
}

export function writePercent(basisPoints: number): string {
  return String(basisPoints / 100);
}
