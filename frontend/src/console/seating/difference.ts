// Two versions of a layout side by side: what the list says, and where each seat of it is drawn.

import type { Kind, PlanDifference as Difference, Point as At, Words } from '../../lib/contract';
import { count } from '../../lib/format';
import type { Geometry } from '../../lib/map/geometry';
import { named } from '../words';
import { t } from '../words/layouts';
export type { PlanDifference as Difference } from '../../lib/contract';

export type Change = 'added' | 'removed' | 'moved' | 'recategorised' | 'renumbered';

export interface Mark {
  change: Change;
  seat: string;
  x: number;
  y: number;
  from: At | null;
  /** What changed, in a few words. */
  words: string;
}

/** Every change with its place: removed seats where they were, all others where they are. */
export function marks(found: Difference, before: Map<string, At>, after: Map<string, At>): Mark[] {
  const mark = (change: Change, seat: string, at: At | undefined, words: string, from: At | null = null): Mark[] =>
    at ? [{ change, seat, x: at.x, y: at.y, from, words }] : [];
  return [
    ...found.added.flatMap((seat) => mark('added', seat, after.get(seat), '')),
    ...found.removed.flatMap((seat) => mark('removed', seat, before.get(seat), '')),
    ...found.moved.flatMap(({ seat, was, now }) => mark('moved', seat, now, distance(was, now), was)),
    ...found.recategorised.flatMap(({ seat, was, now }) => mark('recategorised', seat, after.get(seat), kindChange(was, now))),
    ...found.renumbered.flatMap(({ seat, was, now }) => mark('renumbered', seat, after.get(seat), t.isNow(written(was), written(now)))),
  ];
}

/** Where each seat is, by its key. */
export function placesOf(geometry: Geometry): Map<string, At> {
  return new Map(Array.from({ length: geometry.count }, (_, i) => [geometry.keyOf(i), { x: geometry.x[i]!, y: geometry.y[i]! }]));
}

function distance(was: At, now: At): string {
  return t.byUnits(count(Math.round(Math.hypot(now.x - was.x, now.y - was.y) * 10) / 10));
}

function kindChange(was: Kind, now: Kind): string {
  const said: string[] = [];
  if (was.zone !== now.zone) said.push(t.zoneBecame(was.zone, now.zone));
  if (was.category !== now.category) said.push(`${named(t.seatKinds, was.category)} → ${named(t.seatKinds, now.category)}`);
  if (was.price_category !== now.price_category) said.push(t.priceBecame(was.price_category ?? t.noPrice, now.price_category ?? t.noPrice));
  return said.join(', ').replaceAll('_', ' ');
}

function written(words: Words): string {
  return `${words.section} ${words.row}-${words.number}`;
}
