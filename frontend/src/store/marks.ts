// When the time that is left is said aloud.

export const MARKS = [120_000, 30_000];

/** The mark that was passed between two looks at the clock. The first look says nothing: no time has passed. */
export function passed(before: number, now: number): number | null {
  if (before === Infinity || now <= 0) return null;
  return MARKS.findLast((mark) => before > mark && now <= mark) ?? null;
}
