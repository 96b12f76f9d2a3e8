// The time left of a hold, and when screen readers announce it.

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

/** The mark that was passed between two readings of the clock; none at the first reading. */
export function passed(before: number, now: number): number | null {
  if (before === Infinity || now <= 0) return null;
  return MARKS.findLast((mark) => before > mark && now <= mark) ?? null;
}
