// Money and time in words, in the page's language. Times stand in the venue's zone, wherever the reader is.

import { language } from './language';
import type { Money } from './contract';
export type { Money } from './contract';

// ISO 4217, as the house counts (kit/money.py): what browsers believe differs here and there.
const [WHOLE, THREE] = ['BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF', 'BHD IQD JOD KWD LYD OMR TND'];

export const DATES = language === 'en' ? 'en-GB' : language; // the day before the month

export function minorDigits(currency: string): number {
  return WHOLE.includes(currency) ? 0 : THREE.includes(currency) ? 3 : 2;
}

// To make one takes a thousand times as long as to use it.
const numbers = new Map<string, Intl.NumberFormat>();

function kept(key: string, make: () => Intl.NumberFormat): Intl.NumberFormat {
  const known = numbers.get(key) ?? make();
  numbers.set(key, known);
  return known;
}

// Prices and counts stand on a show's page first of all, and on a phone Intl takes a tenth of a second before its first number:
// so they are written here, as it writes them, and as the house does (kit/languages.py).
const SYMBOLS = 'AUD A$ BRL R$ CNY CN¥ EUR € GBP £ HKD HK$ ILS ₪ INR ₹ KRW ₩ NZD NZ$ TWD NT$ VND ₫ XAF FCFA XCD EC$ XOF F\u202fCFA XPF CFPF ';

export function count(n: number | string, locale = language): string {
  const [thousands, point] = locale === 'af' ? ['\u00a0', ','] : [',', '.'];
  const [whole, ...rest] = String(n).split('.');
  return [whole!.replace(/\B(?=(\d{3})+$)/g, thousands), ...rest].join(point);
}

export function money({ amount, currency }: Money, locale = language): string {
  const own = locale === 'af' ? 'JPY JP¥ THB ฿ ZAR R' : 'CAD CA$ JPY ¥ MXN MX$ PHP ₱ USD $';
  const digits = minorDigits(currency);
  const symbol = RegExp(`${currency} ([^ ]+)`).exec(SYMBOLS + own)?.[1] ?? currency;
  const gap = /\p{S}$/u.test(symbol) ? '' : '\u00a0'; // R 5, but €5
  return (amount < 0 ? '-' : '') + symbol + gap + count((Math.abs(amount) / 10 ** digits).toFixed(digits), locale);
}

/** For a figure in large type: 85.00, 83,525 and 3.44M. Lists and bills have every cent. */
export function roundMoney({ amount, currency }: Money, locale = language): string {
  const value = amount / 10 ** minorDigits(currency);
  if (Math.abs(value) < 10_000) return money({ amount, currency }, locale);
  const notation = Math.abs(value) < 1_000_000 ? 'standard' : 'compact';
  const format = kept(`${locale} ${currency} ${notation}`, () => new Intl.NumberFormat(locale, { style: 'currency', currency, notation, maximumFractionDigits: notation === 'compact' ? 2 : 0, minimumFractionDigits: 0 }));
  return format.format(value);
}

export function day(moment: string | number, timeZone: string, locale = DATES): string {
  return new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone }).format(new Date(moment));
}

export function hour(moment: string | number, timeZone: string, locale = DATES): string {
  return new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone }).format(new Date(moment));
}

export function shortDate(moment: string | number, timeZone: string, locale = DATES): string {
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone }).format(new Date(moment));
}

/** 4:05 */
export function countdown(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
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
