// Errors in a layout file: turns a path into names from the file.

import { t } from '../words/layouts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Mistake {
  path: string;
  message: string;
}

type Step = string | number;

/** `zones[0].rows[2].x` in steps: zones, 0, rows, 2, x. */
export function steps(path: string): Step[] {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) => (index === undefined ? name! : Number(index)));
}

// What a list holds, and what its members are called by: ours first, then as other formats have it.
const LISTS: Record<string, { one: string; names: readonly string[] }> = {
  zones: { one: t.parts.zone, names: ['name', 'key', 'zone_id'] },
  sections: { one: t.parts.section, names: ['name', 'key'] },
  rows: { one: t.parts.row, names: ['label', 'row_number'] },
  seats: { one: t.parts.seat, names: ['number', 'seat_number', 'key', 'seat_id'] },
  areas: { one: t.parts.area, names: ['name'] },
  price_categories: { one: t.parts.priceCategory, names: ['name', 'key'] },
  categories: { one: t.parts.category, names: ['name'] },
  groups: { one: t.parts.group, names: ['key'] },
  seat_groups: { one: t.parts.group, names: ['group_id'] },
};

/** `zones[0].sections[1].rows[2].seats[3].x` as `zone Stalls, section Left, row C, seat 4: x`. */
export function place(path: string, document: unknown): string {
  const said: string[] = [];
  let here = document as Json | undefined;
  let list: string | null = null;
  for (const step of steps(path)) {
    here = inside(here, step);
    if (typeof step === 'number') {
      said.push(list && LISTS[list] ? `${LISTS[list]!.one} ${nameOf(here, LISTS[list]!.names) ?? t.no(step + 1)}` : t.no(step + 1));
      list = null;
    } else if (LISTS[step] && Array.isArray(here)) list = step;
    else said.push(step.replaceAll('_', ' '));
  }
  if (list) said.push(list.replaceAll('_', ' '));
  return said.join(', ') || t.wholeDocument;
}

/** The value at the path, shortened to a line; null if there is none. */
export function excerpt(path: string, document: unknown): string | null {
  let here = document as Json | undefined;
  for (const step of steps(path)) here = inside(here, step);
  if (here === undefined) return null;
  const text = JSON.stringify(here);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** Which format a document is in, as far as its beginning tells. */
export function formatOf(document: unknown): 'fullhouse' | 'config' | 'pretix' {
  if (typeof document !== 'object' || document === null) return 'fullhouse';
  if ('format' in document) return 'fullhouse';
  const zones: unknown[] = 'zones' in document && Array.isArray(document.zones) ? document.zones : [];
  if ('config' in document || zones.some((zone) => typeof zone === 'object' && zone !== null && 'zone_id' in zone && !('rows' in zone))) return 'config';
  if ('price_categories' in document) return 'fullhouse';
  return 'categories' in document ? 'pretix' : 'fullhouse';
}

function inside(value: Json | undefined, step: Step): Json | undefined {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value[step] : undefined;
}

function nameOf(value: Json | undefined, names: readonly string[]): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  for (const name of names) {
    const found = value[name];
    if (typeof found === 'string' && found) return found;
    if (typeof found === 'number') return String(found);
  }
  return null;
}
