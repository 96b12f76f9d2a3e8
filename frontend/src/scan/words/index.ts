// What the scanner shows for each verdict: a colour with its shape, one or two words, and a sentence; and how it writes
// seats, times, numbers and refusals.
import { Offline, Problem } from '../../lib/api';
import * as format from '../../lib/format';
import { refusal } from '../../lib/refusal';
import type { Direction, Reason } from '../policy';
import { speech, t } from './speech.svelte';

/** Each has its own colour, shape and sound, so that it is understood without seeing colours, or without hearing. */
export type Tone = 'go' | 'wait' | 'stop';

interface Told {
  tone: Tone;
  word: string;
  says: string;
}

// The holder may be right: staff should talk to them. All other reasons stop.
const WAITS: ReadonlySet<string> = new Set<Reason>(['already_inside', 'already_used', 'no_entries_left', 'not_inside']);

/** A reason that is newer than this page is shown with the server's message. */
export function wordsFor(admit: boolean, reason: string | null, direction: Direction, message = ''): Told {
  if (admit) return { tone: 'go', word: direction === 'in' ? t.welcome : t.goodbye, says: '' };
  const [word, says] = t.reasons[reason as Reason] ?? [t.refused, message];
  return { tone: WAITS.has(reason ?? '') ? 'wait' : 'stop', word, says };
}

interface Placed {
  zone: string | null;
  section: string | null;
  row: string | null;
  seat: string | null;
  placeNo?: number | null;
}

/** Lower tier, section 104, row B, seat 12 */
export function place(ticket: Placed): string {
  const section = ticket.section && ticket.section !== ticket.zone ? (ticket.zone ? t.section(ticket.section) : ticket.section) : null;
  const parts = [ticket.zone, section, ticket.row && t.row(ticket.row), ticket.seat && t.seat(ticket.seat), ticket.placeNo && t.spot(String(ticket.placeNo))];
  return parts.filter(Boolean).join(', ') || t.generalAdmission;
}

/** What staff must see to for this kind of seat. */
export function accessibility(kind: string): string | null {
  return t.accessibility[kind] ?? null;
}

// The server sends it as an English sentence (scanning/policy.py): its beginning names the kind of seat.
const KINDS: [RegExp, string][] = [
  [/^Wheelchair ticket, companion reserved/, 'wheelchair true'],
  [/^Wheelchair ticket/, 'wheelchair false'],
  [/^Companion seat/, 'companion false'],
];

/** The server's sentence in the language of this page; unchanged if it is not one of ours. */
export function inOurs(sentence: string | null): string | null {
  const [, kind] = KINDS.find(([beginning]) => beginning.test(sentence ?? '')) ?? [];
  return kind ? accessibility(kind) : sentence;
}

/** The time at the venue; with the zone's name if this device has another time zone. */
export function clock(at: number | string, timeZone: string): string {
  const time = hour(at, timeZone);
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return here === timeZone ? time : t.timeAt(time, timeZone.split('/').at(-1)?.replaceAll('_', ' ') ?? timeZone);
}

export const hour = (at: number | string, timeZone: string) => format.hour(at, timeZone, speech.locale);
export const count = (n: number) => format.count(n, speech.code);
export const date = (at: number) => new Intl.DateTimeFormat(speech.locale, { day: 'numeric', month: 'long', year: 'numeric' }).format(at);

/** What went wrong, in the reader's language. */
export function sentence(error: unknown): string {
  if (error instanceof Offline) return t.noConnection;
  return error instanceof Problem ? refusal(error, t.problems, speech.code) : t.wrong;
}
