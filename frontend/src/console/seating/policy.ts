// The seating rules in a form: each field with the origin of its value, and the event's own values.

import type { PolicyValue as Field } from '../../lib/contract';
import { named } from '../words';
import { t } from '../words/rules';
export type { PolicyValue as Field } from '../../lib/contract';

export type Value = boolean | number | null;

/** A row of the editor. `own`: the event has its own value; `text` is what is typed, also while it is invalid. */
export interface Row {
  field: Field;
  inherited: Value;
  inheritedFrom: 'organization' | 'platform';
  own: boolean;
  on: boolean;
  text: string;
}

export const GROUPS: readonly { title: string; fields: readonly string[] }[] = [
  { title: t.mayBeUsed, fields: ['allow_reserved_seating', 'allow_ga_seating', 'allow_hybrid_ga_reserved', 'allow_vip_zones'] },
  {
    title: t.accessibility,
    fields: ['enforce_accessibility_rules', 'companion_release_occupancy_threshold', 'max_wheelchair_seats_per_booking', 'accessibility_audit_enabled'],
  },
  {
    title: t.choosingSeats,
    fields: ['max_seats_per_booking', 'orphan_avoidance_strict', 'group_adjacency_strict', 'max_group_split', 'prefer_clustering_over_selection'],
  },
  { title: t.holds, fields: ['default_hold_ttl_minutes', 'max_holds_per_user', 'max_holds_per_ip', 'holds_per_window'] },
];

/** The rows by group. Rules without a group come last: a hidden rule would still apply. */
export function grouped(list: readonly Row[]): { title: string; rows: Row[] }[] {
  const named = GROUPS.map(({ title, fields }) => ({ title, rows: list.filter((row) => fields.includes(row.field.name)) }));
  const known = new Set(GROUPS.flatMap((group) => group.fields));
  const others = list.filter((row) => !known.has(row.field.name));
  return [...named, { title: t.others, rows: others }].filter((group) => group.rows.length);
}

/** `max_holds_per_ip`: Max holds per network address. A rule that has no name here yet is called as the API calls it. */
export function label(name: string): string {
  const text = named(t.ruleNames, name);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What it means; the API says it in English. */
export function meaning(field: Field): string {
  return t.meanings[field.name] ?? field.meaning;
}

export function isSwitch(field: Field): boolean {
  return typeof field.default === 'boolean';
}

export function say(value: Value): string {
  if (value === null) return t.noLimit;
  return typeof value === 'boolean' ? (value ? t.yesSmall : t.noSmall) : String(value);
}

/** The editor's rows: the event's effective rules with the organisation's, which an event inherits. */
export function rows(event: readonly Field[], organization: readonly Field[]): Row[] {
  const theirs = new Map(organization.map((field) => [field.name, field]));
  return event.map((field) => {
    const above = theirs.get(field.name);
    return {
      field,
      inherited: above ? above.value : field.default,
      inheritedFrom: above?.source === 'organization' ? 'organization' : 'platform',
      own: field.source === 'event',
      on: field.value === true,
      text: typeof field.value === 'number' ? String(field.value) : '',
    };
  });
}

/** The error of a row, by the server's bounds; null if there is none. */
export function mistake(row: Row): string | null {
  if (!row.own || isSwitch(row.field)) return null;
  const text = row.text.trim();
  const { low, high, optional } = row.field;
  if (text === '') return optional ? null : t.numberFrom(low, high);
  const number = Number(text);
  const fits = /^\d+$/.test(text) && (low === null || number >= low) && (high === null || number <= high);
  return fits ? null : t.numberFrom(low, high);
}

/** The event's own values. Mandatory ones are never sent. */
export function overrides(list: readonly Row[]): Record<string, Value> {
  const said: Record<string, Value> = {};
  for (const row of list) if (row.own && !row.field.mandatory) said[row.field.name] = valueOf(row);
  return said;
}

function valueOf(row: Row): Value {
  if (isSwitch(row.field)) return row.on;
  return row.text.trim() === '' ? null : Number(row.text);
}

/** What counts once this is saved. */
export function effective(row: Row): Value {
  return row.own && !row.field.mandatory ? valueOf(row) : row.inherited;
}
