// The outcome of a scan, decided by the server or by this device: what is stored, and what is shown.
import type { Judged, TicketShown } from './judge';
import { presenceAt } from './judge';
import type { ScanResponse } from './line';
import type { Decision, Entry, Log } from './log';
import { NEVER, OVERRIDABLE, type Reason, after, isInside } from './policy';
import type { Sheet } from './sheet';
import { type Tone, clock, inOurs, place, wordsFor } from './words';
import { t } from './words/speech.svelte';

export interface Shown {
  tone: Tone;
  word: string;
  says: string;
  place: string | null;
  ticket: TicketShown | null;
  offline: boolean;
  overridable: boolean;
  entry: Entry;
}

interface Outcome {
  decision: Decision;
  show: (entry: Entry) => Shown;
}

/** When and where the ticket was first used to enter. */
interface Since {
  at: number | string;
  gate: string | null;
}

function shown(entry: Entry, decision: Decision, ticket: TicketShown | null, since: Since | null, zone: string, message: string, offline: boolean): Shown {
  const { admitted, reason } = decision;
  const words = wordsFor(admitted, reason, entry.direction, message);
  const holder = ticket && reason === 'replaced' && !admitted ? { ...ticket, code: '', holderName: null } : ticket; // its former holder may see the screen
  const entered = !since || admitted ? '' : since.gate ? t.enteredAt(clock(since.at, zone), since.gate) : t.entered(clock(since.at, zone));
  return {
    tone: words.tone,
    word: words.word,
    says: entered || words.says,
    place: ticket && place(ticket),
    ticket: holder,
    offline,
    overridable: !admitted && !entry.override && OVERRIDABLE.has(reason as Reason),
    entry,
  };
}

export function fromHouse(answer: ScanResponse, entry: Entry, sheet: Sheet | null, log: Log, zone: string): Outcome {
  const ticket = answer.ticket && {
    code: answer.ticket.code,
    typeName: answer.ticket.type_name,
    holderName: answer.ticket.holder_name,
    zone: answer.ticket.zone_name,
    section: answer.ticket.section,
    row: answer.ticket.row,
    seat: answer.ticket.seat,
    placeNo: answer.ticket.place_no,
    accessibility: inOurs(answer.ticket.accessibility),
    companionSeats: answer.ticket.companion_seats,
  };
  const decision: Decision = {
    admitted: answer.admit,
    reason: answer.reason,
    day: answer.day,
    code: ticket?.code ?? null,
    label: ticket ? place(ticket) : '',
    presence: null,
    move: null,
    scanId: answer.scan_id,
  };
  if (ticket && answer.admit && !entry.test) Object.assign(decision, moved(ticket.code, answer, entry, sheet, log));
  const since = answer.since ? { at: answer.since, gate: answer.gate } : null;
  return { decision, show: (written) => shown(written, decision, ticket, since, zone, answer.message, false) };
}

/** The ticket's presence, for when the connection is lost before the next snapshot. */
function moved(code: string, answer: ScanResponse, entry: Entry, sheet: Sheet | null, log: Log): Pick<Decision, 'presence' | 'move'> {
  const row = sheet?.findCode(code) ?? -1;
  const was = log.presence(code) ?? (sheet && row >= 0 ? presenceAt(sheet, row) : NEVER);
  const presence = after(was, { direction: entry.direction, day: answer.day, now: Date.parse(answer.at), gate: entry.gateId });
  const by = (Number(isInside(presence, answer.day)) - Number(isInside(was, answer.day))) as -1 | 0 | 1;
  const zone = sheet && row >= 0 ? (sheet.of(sheet.header.zones, 'zone', row)?.id ?? null) : null;
  return { presence, move: { by, gate: isInside(was, answer.day) && was.gate ? was.gate : entry.gateId, zone } };
}

export function fromHere(judged: Judged, entry: Entry, sheet: Sheet): Outcome {
  const { verdict, was, ticket } = judged;
  const moves = verdict.admit && !entry.test;
  const decision: Decision = {
    admitted: verdict.admit,
    reason: verdict.reason,
    day: judged.day,
    code: ticket?.code ?? null,
    label: ticket ? place(ticket) : '',
    presence: moves ? verdict.presence : null,
    move: moves ? judged.move : null,
    scanId: null,
  };
  const told = verdict.reason === 'already_inside' || verdict.reason === 'already_used';
  const since = told && was.at ? { at: was.at, gate: sheet.header.gates.find((gate) => gate.id === was.gate)?.name ?? null } : null;
  return { decision, show: (written) => shown(written, decision, ticket, since, sheet.header.event.timezone, '', true) };
}
