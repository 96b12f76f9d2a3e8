// Texts of refusals. A refusal has a stable code, and each program's catalogue has texts for the codes that it can meet. The
// API's own sentence is English, and is never shown on pages in another language.

import type { Problem } from './api';
import { shortDate } from './format';

/** The fields of a refusal beside its code: `most`, `name` …; `wait` is in seconds. */
export type Values = Record<string, unknown> & { wait: number | null };
export type Told = string | ((values: Values) => string);
/** A time in the reader's own time zone. */
export const moment = (at: unknown) => shortDate(String(at), Intl.DateTimeFormat().resolvedOptions().timeZone);

export type Refusals = Record<string, Told>;

export function refusal(error: Problem, words: Refusals, language: string): string {
  const told = words[error.code] ?? (language === 'en' ? error.message : words['unknown'] ?? '');
  return typeof told === 'string' ? told : told({ ...error.more, wait: error.retryAfter });
}
