// Two versions of a layout side by side: what the list says, and where each seat of it is drawn.

import type { SeatTerms, PlanDifference as Difference, Point as At, SeatName } from '../../lib/contract';
import { count } from '../../lib/format';
import type { Geometry } from '../../lib/map/geometry';
import { named } from '../words';
import { t } from '../words/layouts';
export type { PlanDifference as Difference } from '../../lib/contract';

export type Change = 'added' | 'removed' | 'moved' | 'recategorised' | 'renumbered';

/** Where a seat is, in units and in words. */
export interface Place extends At {
  row: string;
  number: string;
}

export interface Mark {
  change: Change;
  seat: string;
  x: number;
  y: number;
  from: At | null;
  /** The row it is in, and which of that row. */
  row: string;
  label: string;
  /** What changed, in a few words. */
  words: string;
}

/** Seats of one row with the same change: halls are rebuilt by rows. */
export interface Group {
  row: string;
  words: string;
  marks: Mark[];
}

/** How zones and price categories are called; a plan has keys. */
export interface Names {
  zones: Map<string, string>;
  prices: Map<string, string>;
}

/** Every change with its place: removed seats where they were, all others where they are. */
export function marks(found: Difference, before: Map<string, Place>, after: Map<string, Place>, names: Names): Mark[] {
  const mark = (change: Change, seat: string, place: Place | undefined, words = '', from: At | null = null, label = place?.number ?? ''): Mark[] =>
    place ? [{ change, seat, x: place.x, y: place.y, from, row: place.row, label, words }] : [];
  return [
    ...found.added.flatMap((seat) => mark('added', seat, after.get(seat))),
    ...found.removed.flatMap((seat) => mark('removed', seat, before.get(seat))),
    ...found.moved.flatMap(({ seat, was, now }) => mark('moved', seat, after.get(seat), distance(was, now), was)),
    ...found.recategorised.flatMap(({ seat, was, now }) => mark('recategorised', seat, after.get(seat), kindChange(was, now, names))),
    ...found.renumbered.flatMap(({ seat, was, now }) => mark('renumbered', seat, after.get(seat), rowChange(was, now), null, was.number === now.number ? now.number : `${was.number} → ${now.number}`)),
  ];
}

/** In the order of the list, row by row. */
export function grouped(found: readonly Mark[]): Group[] {
  const groups = new Map<string, Group>();
  for (const mark of found) {
    const key = JSON.stringify([mark.row, mark.words]);
    const group = groups.get(key);
    if (group) group.marks.push(mark);
    else groups.set(key, { row: mark.row, words: mark.words, marks: [mark] });
  }
  return [...groups.values()];
}

/** Where each seat is, by its key. */
export function placesOf(geometry: Geometry): Map<string, Place> {
  return new Map(
    Array.from({ length: geometry.count }, (_, i) => {
      const row = geometry.rows[geometry.rowOf[i]!]!;
      const place = { x: geometry.x[i]!, y: geometry.y[i]!, row: t.rowOf(geometry.sections[row.section]!.name, row.label), number: geometry.numberOf(i) };
      return [geometry.keyOf(i), place];
    }),
  );
}

function distance(was: At, now: At): string {
  return t.byUnits(count(Math.round(Math.hypot(now.x - was.x, now.y - was.y) * 10) / 10));
}

function kindChange(was: SeatTerms, now: SeatTerms, { zones, prices }: Names): string {
  const price = (key: string | null) => (key ? named(Object.fromEntries(prices), key) : t.noPrice);
  const said: string[] = [];
  if (was.zone !== now.zone) said.push(t.zoneBecame(zones.get(was.zone) ?? was.zone, zones.get(now.zone) ?? now.zone));
  if (was.category !== now.category) said.push(`${named(t.seatKinds, was.category)} → ${named(t.seatKinds, now.category)}`);
  if (was.price_category !== now.price_category) said.push(t.priceBecame(price(was.price_category), price(now.price_category)));
  return said.join(', ');
}

function rowChange(was: SeatName, now: SeatName): string {
  return was.section === now.section && was.row === now.row ? '' : t.wasIn(t.rowOf(was.section, was.row));
}
