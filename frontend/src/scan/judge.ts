// A scan without a connection: what was brought, what is known of it, and the one decision about it.
import { fromBase64 } from './bytes';
import { type Claimed, type Direction, type Presence, type Scene, type Verdict, NEVER, decide, isInside } from './policy';
import { type Brought, type Claim, codeText, isSigned, readClaim, tagOf } from './qr';
import { CATEGORIES, STATUSES, type Sheet, dayText } from './sheet';
import { accessibility } from './words';

export interface Ask {
  brought: Brought;
  direction: Direction;
  gateId: string;
  test: boolean;
  override: boolean;
}

/** What this device has seen since its snapshot was made. */
export interface Seen {
  presence(code: string): Presence | null;
  inside(kind: 'gate' | 'zone', id: string): number;
}

/** What a scan does to the counts: by how much, and whose. */
export interface Move {
  by: -1 | 0 | 1;
  gate: string;
  zone: string | null;
}

export interface TicketShown {
  code: string;
  typeName: string;
  holderName: string | null;
  zone: string | null;
  section: string | null;
  row: string | null;
  seat: string | null;
  placeNo: number | null;
  accessibility: string | null;
  companionSeats: string | null;
}

export interface Judged {
  verdict: Verdict;
  was: Presence;
  day: string;
  ticket: TicketShown | null;
  move: Move;
}

/** The event's day, in its own time zone; null if the snapshot is too old to know. */
export function dayAt(sheet: Sheet, now: number): string | null {
  return sheet.header.days.find((day) => day.from <= now && now < day.until)?.day ?? null;
}

/** Null if the snapshot is too old to know what day it is. */
export async function judge(sheet: Sheet, seen: Seen, ask: Ask, now: number): Promise<Judged | null> {
  const day = dayAt(sheet, now);
  if (day === null) return null;
  const { row, ...told } = await look(sheet, ask.brought);
  const code = row < 0 ? null : codeText(sheet.codeAt(row));
  const was = code === null ? NEVER : (seen.presence(code) ?? presenceAt(sheet, row));
  const scene: Scene = { ...usual(sheet, seen, ask, now, day), ...(row < 0 ? {} : ofTicket(sheet, seen, row)), ...told, presence: was };
  const verdict = decide(scene);
  return {
    verdict,
    was,
    day,
    ticket: code === null || told.claim !== 'good' ? null : shown(sheet, row, code),
    move: {
      by: (Number(isInside(verdict.presence, day)) - Number(isInside(was, day))) as Move['by'],
      gate: isInside(was, day) && was.gate ? was.gate : ask.gateId,
      zone: row < 0 ? null : (sheet.of(sheet.header.zones, 'zone', row)?.id ?? null),
    },
  };
}

/** Which ticket it is, and whether it may be believed. */
async function look(sheet: Sheet, brought: Brought): Promise<{ row: number; claim: Claimed; sameEvent: boolean; replaced: boolean }> {
  const found = { row: -1, claim: 'unknown' as Claimed, sameEvent: true, replaced: false };
  if (brought.code !== undefined) {
    const row = sheet.findCode(brought.code);
    if (row >= 0) return { ...found, row, claim: 'good' };
    const now = sheet.header.former?.[brought.code]; // its former holder's
    return now === undefined ? found : { ...found, row: sheet.findCode(now), claim: 'good', replaced: true };
  }
  const claim = readClaim(brought.qr);
  if (!claim) return found;
  const key = sheet.header.keys.find((each) => each.id === claim.keyId);
  if (!key || !(await isSigned(claim.signature, claim.message, fromBase64(key.public)))) return { ...found, claim: 'forged' };
  if (key.revoked) return { ...found, claim: 'revoked' };
  return { ...found, claim: 'good', ...(await lookUp(sheet, claim)) };
}

/** A good code that is not in the list was transferred, as far as a device can tell (docs/scanning.md). */
async function lookUp(sheet: Sheet, claim: Claim): Promise<{ row: number; sameEvent: boolean; replaced: boolean }> {
  const sameEvent = claim.eventId === sheet.header.event.id;
  const row = sameEvent ? sheet.findTag(await tagOf(claim)) : -1;
  return { row, sameEvent, replaced: sameEvent && row < 0 };
}

function usual(sheet: Sheet, seen: Seen, ask: Ask, now: number, day: string): Scene {
  const { event, gates } = sheet.header;
  const gate = gates.find((each) => each.id === ask.gateId);
  return {
    now,
    day,
    direction: ask.direction,
    test: ask.test,
    override: ask.override,
    claim: 'good',
    sameEvent: true,
    replaced: false,
    eventStatus: event.status,
    inNewWindow: event.new_window !== null && event.new_window[0] <= now && now <= event.new_window[1],
    ticketStatus: 'valid',
    entitlement: 'single',
    maxDailyEntries: null,
    validDays: [],
    membershipStatus: null,
    memberFrom: null,
    memberUntil: null,
    gate: ask.gateId,
    gateOpen: gate?.open ?? false,
    gateInside: (gate?.inside ?? 0) + seen.inside('gate', ask.gateId),
    gateCapacity: gate?.capacity ?? null,
    zoneInside: 0,
    zoneCapacity: null,
    presence: NEVER,
  };
}

function ofTicket(sheet: Sheet, seen: Seen, row: number): Partial<Scene> {
  const { header } = sheet;
  const type = sheet.of(header.types, 'type', row);
  const zone = sheet.of(header.zones, 'zone', row);
  const member = sheet.of(header.members, 'member', row);
  return {
    ticketStatus: STATUSES[sheet.at('status', row)] ?? 'cancelled',
    entitlement: type?.entitlement ?? 'single',
    maxDailyEntries: type?.max_daily_entries ?? null,
    validDays: type?.valid_days ?? [],
    membershipStatus: member?.status ?? null,
    memberFrom: member?.from ?? null,
    memberUntil: member?.until ?? null,
    zoneInside: zone ? zone.inside + seen.inside('zone', zone.id) : 0,
    zoneCapacity: zone?.capacity ?? null,
  };
}

export function presenceAt(sheet: Sheet, row: number): Presence {
  const at = sheet.at('at', row);
  return {
    inside: sheet.at('inside', row) === 1,
    day: dayText(sheet.at('day', row)),
    entriesToday: sheet.at('entries_today', row),
    entries: sheet.at('entries', row),
    at: at ? at * 1000 : null,
    gate: sheet.of(sheet.header.gates, 'gate', row)?.id ?? null,
  };
}

function shown(sheet: Sheet, row: number, code: string): TicketShown {
  const { header } = sheet;
  const companionSeats = header.companions[code] ?? null;
  return {
    code,
    typeName: sheet.of(header.types, 'type', row)?.name ?? '',
    holderName: null,
    zone: sheet.of(header.zones, 'zone', row)?.name ?? null,
    section: sheet.of(header.sections, 'section', row),
    row: sheet.of(header.rows, 'row', row),
    seat: sheet.of(header.seats, 'seat', row),
    placeNo: null,
    accessibility: accessibility(`${CATEGORIES[sheet.at('category', row)]} ${companionSeats !== null}`),
    companionSeats,
  };
}
