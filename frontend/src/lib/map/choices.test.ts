import { describe, expect, test } from 'vitest';
import type { Geometry } from './geometry';
import { nearestFree } from './nearest';
import { judge } from './versions';

describe('a delta', () => {
  test('is taken if it is newer', () => expect(judge('e1-7', 'e1-8')).toBe('take'));
  test('is skipped if it is known', () => {
    expect(judge('e1-8', 'e1-8')).toBe('skip');
    expect(judge('e1-10', 'e1-9')).toBe('skip');
  });
  test('of another epoch, or before anything was read, has the states read again', () => {
    expect(judge('e1-7', 'e2-1')).toBe('reread');
    expect(judge('', 'e1-1')).toBe('reread');
  });
});

/** Two rows of five, one apart; the second row is another section and price. */
function hall(taken: number[], mine: number[] = [], wheelchairs: number[] = []) {
  const geometry = {
    count: 10,
    x: Float32Array.from({ length: 10 }, (_, n) => n % 5),
    y: Float32Array.from({ length: 10 }, (_, n) => Math.floor(n / 5)),
    rowOf: Uint32Array.from({ length: 10 }, (_, n) => Math.floor(n / 5)),
    rows: [{ section: 0 }, { section: 1 }],
    price: Uint8Array.from({ length: 10 }, (_, n) => Math.floor(n / 5)),
    category: Uint8Array.from({ length: 10 }, (_, n) => (wheelchairs.includes(n) ? 1 : 0)),
    wholes: new Map(),
    pitch: 1,
  } as unknown as Geometry;
  return { geometry, mine: new Set(mine), isFree: (n: number) => !taken.includes(n) };
}

describe('the nearest seats', () => {
  test('are beside the one that was taken', () => expect(nearestFree(hall([2]), [2])).toEqual([1]));
  test('stay in the section while it has some', () => expect(nearestFree(hall([1, 2, 3]), [2])).toEqual([0]));
  test('go elsewhere when it has none', () => expect(nearestFree(hall([0, 1, 2, 3, 4]), [2])).toEqual([7]));
  test('are none of mine, and no wheelchair spaces', () => expect(nearestFree(hall([2], [1], [3]), [2], 2)).toEqual([0, 4]));
  test('are as many as are left', () => expect(nearestFree(hall([0, 1, 2, 3, 4, 5, 6, 7, 8]), [2], 3)).toEqual([9]));
});
