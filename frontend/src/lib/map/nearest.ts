// Another buyer was faster: which seats are the next best? Nearby, in the same section and at the same price if possible.

import { STANDARD } from './geometry';
import type { SeatMap } from './seatmap';

type Hall = Pick<SeatMap, 'geometry' | 'isFree' | 'mine'>;

/** At most `count` free seats, those closest to where `wanted` are. */
export function nearestFree(map: Hall, wanted: number[], count = wanted.length): number[] {
  const g = map.geometry;
  const asked = new Set(wanted);
  const cost = (seat: number) => Math.min(...wanted.map((other) => distance(seat, other)));
  const distance = (a: number, b: number) => {
    const apart = Math.hypot(g.x[a]! - g.x[b]!, g.y[a]! - g.y[b]!);
    const row = g.rowOf[a] === g.rowOf[b] ? 0 : g.pitch * 0.5;
    const section = g.rows[g.rowOf[a]!]!.section === g.rows[g.rowOf[b]!]!.section ? 0 : g.pitch * 4;
    const price = g.price[a] === g.price[b] ? 0 : g.pitch * 2;
    return apart + row + section + price;
  };
  const kinds = new Set([STANDARD, ...wanted.map((seat) => g.category[seat]!)]);
  const found: [number, number][] = [];
  for (let seat = 0; seat < g.count; seat++) {
    if (!map.isFree(seat) || asked.has(seat) || map.mine.has(seat) || g.wholes.has(seat)) continue;
    if (kinds.has(g.category[seat]!)) found.push([cost(seat), seat]);
  }
  return found
    .toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
    .slice(0, count)
    .map(([, seat]) => seat);
}
