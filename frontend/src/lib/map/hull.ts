// The outline of a section: the hull of its seats, with a margin.

export type Point = [number, number];

const BIN = 0.5; // of the margin: what lies in one bin is taken as one place

/** Of each narrow strip only the highest and the lowest seat can be a corner: thousands of seats become a few dozen. */
export function outline(x: Float32Array, y: Float32Array, first: number, end: number, margin: number): Point[] {
  if (first >= end) return [];
  let [left, right] = [Infinity, -Infinity];
  for (let i = first; i < end; i++) {
    left = Math.min(left, x[i]!);
    right = Math.max(right, x[i]!);
  }
  const width = margin * BIN;
  const bins = Math.floor((right - left) / width) + 1;
  const top = new Int32Array(bins).fill(-1);
  const bottom = new Int32Array(bins).fill(-1);
  for (let i = first; i < end; i++) {
    const bin = Math.floor((x[i]! - left) / width);
    if (top[bin]! < 0 || y[i]! < y[top[bin]!]!) top[bin] = i;
    if (bottom[bin]! < 0 || y[i]! > y[bottom[bin]!]!) bottom[bin] = i;
  }
  const corners: Point[] = [];
  for (const i of [...top, ...bottom]) if (i >= 0) corners.push([x[i]!, y[i]!]);
  return hull(hull(corners).flatMap(([px, py]) => around(px, py, margin)));
}

function around(px: number, py: number, margin: number): Point[] {
  return [[px - margin, py - margin], [px + margin, py - margin], [px + margin, py + margin], [px - margin, py + margin]];
}

/** Andrew's monotone chain, clockwise on the screen. */
export function hull(points: Point[]): Point[] {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const half = (list: Point[]) => {
    const chain: Point[] = [];
    for (const point of list) {
      while (chain.length > 1 && turn(chain.at(-2)!, chain.at(-1)!, point) <= 0) chain.pop();
      chain.push(point);
    }
    chain.pop();
    return chain;
  };
  return [...half(sorted), ...half(sorted.toReversed())];
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
