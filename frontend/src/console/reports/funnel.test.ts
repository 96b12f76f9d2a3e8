import { describe, expect, it } from 'vitest';
import { BAR, bars, GAP, heightOf } from './funnel';

const steps = (...values: number[]) => values.map((value, n) => ({ name: `${n}`, value }));

describe('a funnel', () => {
  it('is as wide as the parts of its first step', () => {
    const [held, bound, sold] = bars(steps(200, 100, 50), 400);
    expect([held!.width, bound!.width, sold!.width]).toEqual([400, 200, 100]);
    expect([held!.x, bound!.x, sold!.x]).toEqual([0, 100, 150]);
    expect([held!.part, bound!.part, sold!.part]).toEqual([null, 0.5, 0.5]);
  });
  it('joins each step with the one before', () => {
    const [first, second] = bars(steps(2, 1), 100);
    expect(first!.way).toBeNull();
    expect(second!.way).toBe(`0.0 ${BAR}.0 100.0 ${BAR}.0 75.0 ${BAR + GAP}.0 25.0 ${BAR + GAP}.0`);
    expect(heightOf(2)).toBe(2 * BAR + GAP);
  });
  it('shows a step that nobody reached, and divides by nothing', () => {
    const [held, bound, sold] = bars(steps(5, 0, 0), 100);
    expect([held!.width, bound!.width, sold!.width]).toEqual([100, 3, 3]);
    expect([bound!.part, sold!.part]).toEqual([0, null]);
    expect(bars(steps(0, 0), 100).map((bar) => bar.width)).toEqual([3, 3]);
  });
});
