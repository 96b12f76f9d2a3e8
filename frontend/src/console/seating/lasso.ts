// Seats by a line drawn around them.

import { boxAround } from '../../lib/map/geometry';
import { contains, type Point } from '../../lib/map/hull';
import { t } from '../words/seating';

interface Seats {
  count: number;
  x: Float32Array;
  y: Float32Array;
}

/** The seats whose middle lies inside the line. Fewer than three points enclose nothing. */
export function seatsIn(seats: Seats, line: Point[]): number[] {
  if (line.length < 3) return [];
  const box = boxAround(line);
  const found: number[] = [];
  for (let i = 0; i < seats.count; i++) {
    const [x, y] = [seats.x[i]!, seats.y[i]!];
    if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
    if (contains(line, x, y)) found.push(i);
  }
  return found;
}

export type How = 'add' | 'take' | 'only';

/** A choice with some seats more, some less, or with these alone. */
export function chosen(before: ReadonlySet<number>, seats: Iterable<number>, how: How): Set<number> {
  const after = new Set(how === 'only' ? [] : before);
  for (const seat of seats) {
    if (how === 'take') after.delete(seat);
    else after.add(seat);
  }
  return after;
}

/** A seat's id is its layout's, with the ordinal in the last 32 bits. */
export function seatId(layoutId: string, ordinal: number): string {
  return layoutId.slice(0, 28) + ordinal.toString(16).padStart(8, '0');
}

interface Row {
  label: string;
  section: number;
  first: number;
  end: number;
}

interface Plan {
  rows: Row[];
  sections: { name: string }[];
  numberOf(ordinal: number): string;
}

/** A choice in words, row by row: `Stalls, row C: 3–6, 9`. Neighbours in the plan are drawn together. */
export function inWords(plan: Plan, seats: ReadonlySet<number>): string[] {
  const said: string[] = [];
  for (const row of plan.rows) {
    const runs: [number, number][] = [];
    for (let i = row.first; i < row.end; i++) {
      if (!seats.has(i)) continue;
      const last = runs.at(-1);
      if (last && last[1] === i - 1) last[1] = i;
      else runs.push([i, i]);
    }
    if (!runs.length) continue;
    const whole = runs.length === 1 && runs[0]![0] === row.first && runs[0]![1] === row.end - 1;
    const numbers = runs.map(([a, b]) => (a === b ? plan.numberOf(a) : `${plan.numberOf(a)}–${plan.numberOf(b)}`)).join(', ');
    said.push(t.rowSelected(plan.sections[row.section]!.name, row.label, whole ? t.allOfRow : numbers));
  }
  return said;
}
