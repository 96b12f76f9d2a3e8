// Money and time in words, in the page's language. Times stand in the venue's zone, wherever the reader is.

import { language } from './language';
import type { Money } from './contract';
export type { Money } from './contract';

// ISO 4217, as the server counts (kit/money.py): browsers differ for a few currencies.
const [WHOLE, THREE] = ['BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF', 'BHD IQD JOD KWD LYD OMR TND'];

export const DATES = language === 'en' ? 'en-GB' : language; // the day before the month

export function minorDigits(currency: string): number {
  return WHOLE.includes(currency) ? 0 : THREE.includes(currency) ? 3 : 2;
}

// On a phone, Intl takes a tenth of a second before its first number, and an event's page begins with prices and counts: so
// they are formatted here, as Intl and the server (kit/languages.py) do it.
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

const written = (options: Intl.DateTimeFormatOptions) =>
  (moment: string | number, timeZone: string, locale = DATES): string => new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(new Date(moment));

export const day = written({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
export const hour = written({ hour: '2-digit', minute: '2-digit' });
export const shortDate = written({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const shortDay = written({ weekday: 'short', day: 'numeric', month: 'short' });
/** A calendar day, as a ticket names it: no time zone moves it. */
export const dayName = (date: string, locale = DATES) => shortDay(date, 'UTC', locale);

/** 4:05 */
export function countdown(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
}
