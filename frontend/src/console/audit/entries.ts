// Rows of the audit, for people.

import type { AuditEntry as Entry } from '../../lib/contract';
import { language } from '../../lib/language';
import { because } from '../because';
import { named } from '../words';
import { t } from '../words/audit';
import { refusedBy } from '../words/spoken';
export type { AuditEntry as Entry } from '../../lib/contract';

export interface Changed {
  field: string;
  before: string;
  after: string;
}

/** Field by field, those of both sides in one list. */
export function changes(entry: Pick<Entry, 'before' | 'after'>): Changed[] {
  const fields = new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})]);
  return [...fields].map((field) => ({ field: field.replaceAll('_', ' '), before: said(entry.before, field), after: said(entry.after, field) }));
}

const LISTED = 12;

function said(values: Record<string, unknown> | null, field: string): string {
  if (!values || !(field in values)) return '';
  const value = values[field];
  if (value === null) return t.none;
  if (Array.isArray(value)) {
    const shown = value.slice(0, LISTED).map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ');
    return value.length > LISTED ? t.andMore(shown, value.length - LISTED) : shown || t.nothing;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The actor's name: a service of the system by what it does. Null if there is only an id. */
export function whose({ actor_type, actor_name }: Pick<Entry, 'actor_type' | 'actor_name'>): string | null {
  return actor_type === 'system' && actor_name ? named(t.services, actor_name) : actor_name;
}

/** Why, in the reader's language. A refusal also has its code. */
export function why({ action, after, reason }: Pick<Entry, 'action' | 'after' | 'reason'>): string {
  if (!reason) return '';
  const code = { 'access.denied': after?.code, seat_reserve_failed: after?.reason, 'zone.access_denied': 'zone_access_denied' }[action];
  return (code ? refusedBy(code) : null) ?? because(reason);
}

interface Deed {
  code: string;
  name: string;
}

export interface Family extends Deed {
  all: string | null; // the filter for the whole group
  deeds: Deed[];
}

const byName = (a: Deed, b: Deed) => a.name.localeCompare(b.name, language);

/** All actions by group, for the filter. */
export function families(): Family[] {
  const found = Object.entries(t.families).map(([code, name]) => ({ code, name, all: `${code}.*`, deeds: [] as Deed[] }) as Family);
  for (const [code, name] of Object.entries(t.actions)) {
    const [family, rest] = code.split('.');
    const at = found.find((one) => (rest ? one.code === family : code.startsWith(one.code)))!;
    at.deeds.push({ code, name });
    if (!rest) at.all = null; // codes without a dot: older than the groups
  }
  for (const one of found) one.deeds.sort(byName);
  return found.sort(byName);
}

/** Whether the filter has this action: an address may contain anything. */
export function isKnown(action: string | null): boolean {
  return !action || action in t.actions || (action.endsWith('.*') && action.slice(0, -2) in t.families);
}

export function sameDay(a: string, b: string, timeZone: string): boolean {
  const day = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone });
  return day.format(new Date(a)) === day.format(new Date(b));
}
