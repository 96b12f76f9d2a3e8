// Time that is left: whose, and when it is said aloud.

export interface Span {
  since: number;
  until: number;
}

export function soonest(spans: (Span | null)[]): Span | null {
  return spans.reduce((first, span) => (span && (!first || span.until < first.until) ? span : first), null);
}

/** How much of it is left, from 1 to 0. */
export function leftOf({ since, until }: Span, now: number): number {
  return Math.max(0, Math.min(1, (until - now) / (until - since)));
}

export const MARKS = [120_000, 30_000];

/** The mark that was passed between two looks at the clock. The first look says nothing: no time has passed. */
export function passed(before: number, now: number): number | null {
  if (before === Infinity || now <= 0) return null;
  return MARKS.findLast((mark) => before > mark && now <= mark) ?? null;
}
