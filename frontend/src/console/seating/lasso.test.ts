import { describe, expect, it } from 'vitest';
import type { Point } from '../../lib/map/hull';
import { chosen, inWords, seatId, seatsIn } from './lasso';

/** Ten by ten seats, one unit apart. */
const square = {
  count: 100,
  x: Float32Array.from({ length: 100 }, (_, i) => i % 10),
  y: Float32Array.from({ length: 100 }, (_, i) => Math.floor(i / 10)),
};

describe('seats by a line around them', () => {
  it('takes what lies inside', () => {
    const line: Point[] = [[1.5, 1.5], [3.5, 1.5], [3.5, 3.5], [1.5, 3.5]];
    expect(seatsIn(square, line)).toEqual([22, 23, 32, 33]);
  });

  it('does not care which way round the line was drawn, nor whether it bends inwards', () => {
    const bent: Point[] = [[-0.5, -0.5], [4.5, -0.5], [4.5, 4.5], [2.5, 0.5], [-0.5, 4.5]];
    const found = seatsIn(square, bent);
    expect(found).toEqual(seatsIn(square, bent.toReversed()));
    expect(found).toContain(0);
    expect(found).toContain(4);
    expect(found).not.toContain(32); // in the bay
  });

  it('takes nothing with a dot or a stroke', () => {
    expect(seatsIn(square, [])).toEqual([]);
    expect(seatsIn(square, [[0, 0], [9, 9]])).toEqual([]);
  });
});

describe('a choice', () => {
  it('grows, shrinks, or begins anew, and leaves the former one as it was', () => {
    const before = new Set([1, 2]);
    expect([...chosen(before, [2, 3], 'add')]).toEqual([1, 2, 3]);
    expect([...chosen(before, [2, 3], 'take')]).toEqual([1]);
    expect([...chosen(before, [9], 'only')]).toEqual([9]);
    expect([...before]).toEqual([1, 2]);
  });

  it('names seats as the server does', () => {
    expect(seatId('01949af5-1d3f-7c22-9c1e-0f2233445566', 258)).toBe('01949af5-1d3f-7c22-9c1e-0f2200000102');
  });

  it('is said row by row', () => {
    const plan = {
      rows: [
        { label: 'A', section: 0, first: 0, end: 4 },
        { label: 'B', section: 0, first: 4, end: 8 },
        { label: '1', section: 1, first: 8, end: 10 },
      ],
      sections: [{ name: 'Stalls' }, { name: 'Box' }],
      numberOf: (ordinal: number) => String((ordinal % 4) + 1),
    };
    expect(inWords(plan, new Set([0, 1, 3, 8, 9]))).toEqual(['Stalls, row A: 1–2, 4', 'Box, row 1: all seats']);
    expect(inWords(plan, new Set())).toEqual([]);
  });
});
