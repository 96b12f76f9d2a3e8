// Rows of the audit, for people.

import type { AuditEntry as Entry } from '../../lib/contract';
import { t } from '../words/audit';
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

export function sameDay(a: string, b: string, timeZone: string): boolean {
  const day = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone });
  return day.format(new Date(a)) === day.format(new Date(b));
}
