// Figures of reports: rounded amounts, shares, averages.

import { minorDigits, money, type Money } from '../lib/format';
import { language } from '../lib/language';

// To make one takes a thousand times as long as to use it.
const numbers = new Map<string, Intl.NumberFormat>();

function kept(key: string, make: () => Intl.NumberFormat): Intl.NumberFormat {
  const known = numbers.get(key) ?? make();
  numbers.set(key, known);
  return known;
}

/** For a figure in large type: 85.00, 83,525 and 3.44M. Lists and bills have every cent. */
export function roundMoney({ amount, currency }: Money, locale = language): string {
  const value = amount / 10 ** minorDigits(currency);
  if (Math.abs(value) < 10_000) return money({ amount, currency }, locale);
  const notation = Math.abs(value) < 1_000_000 ? 'standard' : 'compact';
  const format = kept(`${locale} ${currency} ${notation}`, () => new Intl.NumberFormat(locale, { style: 'currency', currency, notation, maximumFractionDigits: notation === 'compact' ? 2 : 0, minimumFractionDigits: 0 }));
  return format.format(value);
}

/** 0.034: 3.4%, and 0.605: 61%. Only small shares have a digit more. */
export function percent(part: number, locale = language): string {
  const digits = part < 0.0995 ? 1 : 0;
  return kept(`${locale} % ${digits}`, () => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: digits })).format(part);
}

/** 2.5, and 2.0 */
export function decimal(n: number, locale = language): string {
  return kept(`${locale} .0`, () => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })).format(n);
}
