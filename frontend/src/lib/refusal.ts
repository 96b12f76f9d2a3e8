// What the house refused, in words. A refusal has a stable code: each program's catalogue has words for those that it can
// meet. The house's own sentence is English: whoever reads another language is never shown it.

import type { Problem } from './api';
import { shortDate } from './format';

/** What a refusal says beside its code: `most`, `name` …; `wait` are seconds. */
export type Values = Record<string, unknown> & { wait: number | null };
export type Told = string | ((values: Values) => string);
/** When something begins, for whoever reads it where they are. */
export const moment = (at: unknown) => shortDate(String(at), Intl.DateTimeFormat().resolvedOptions().timeZone);

export type Refusals = Record<string, Told>;

export function refusal(error: Problem, words: Refusals, language: string): string {
  const told = words[error.code] ?? (language === 'en' ? error.message : words['unknown'] ?? '');
  return typeof told === 'string' ? told : told({ ...error.more, wait: error.retryAfter });
}
