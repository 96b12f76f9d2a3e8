// The outline of a section: the hull of its seats, with a margin.

import type { Box } from './geometry';

export type Point = [number, number];

const BIN = 0.5; // of the margin: what lies in one bin is taken as one place

/** Of each narrow strip only the highest and the lowest seat can be a corner: hundreds of seats become a few dozen. */
export function outline(x: Float32Array, y: Float32Array, { shape, box }: { shape: readonly number[]; box: Box }, margin: number): Point[] {
  if (!shape.length) return [];
  const width = margin * BIN;
  const bins = Math.floor((box.right - box.left) / width) + 1;
  const highest = new Int32Array(bins).fill(-1);
  const lowest = new Int32Array(bins).fill(-1);
  for (const seat of shape) {
    const bin = Math.floor((x[seat]! - box.left) / width);
    const over = highest[bin]!;
    const under = lowest[bin]!;
    if (over < 0 || y[seat]! < y[over]!) highest[bin] = seat;
    if (under < 0 || y[seat]! > y[under]!) lowest[bin] = seat;
  }
  return [...edge(x, y, highest, margin, UP), ...edge(x, y, lowest, margin, DOWN).toReversed()];
}

const [UP, DOWN] = [-1, 1]; // on the screen

/** The hull's upper or lower half, from left to right, moved outwards. The strips are in order: nothing is to be sorted. */
function edge(x: Float32Array, y: Float32Array, seats: Int32Array, margin: number, side: number): Point[] {
  const chain: Point[] = [];
  for (const seat of seats) {
    if (seat < 0) continue;
    const point: Point = [x[seat]!, y[seat]!];
    while (chain.length > 1 && turn(chain.at(-2)!, chain.at(-1)!, point) * side >= 0) chain.pop();
    chain.push(point);
  }
  const peak = chain.reduce((best, point, n) => ((point[1] - chain[best]![1]) * side > 0 ? n : best), 0);
  const out = ([px, py]: Point, aside: number): Point => [px + aside * margin, py + side * margin];
  return [...chain.slice(0, peak + 1).map((point) => out(point, -1)), ...chain.slice(peak).map((point) => out(point, 1))];
}

function turn(a: Point, b: Point, c: Point): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

export function contains(polygon: Point[], px: number, py: number): boolean {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i]!;
    const [xj, yj] = polygon[j]!;
    if (yi > py !== yj > py && px < ((xj - xi) * (py - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}
