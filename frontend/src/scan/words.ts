// What the gate shows for each verdict: a colour with its shape, one word or two, and a sentence.
import type { Direction, Reason } from './policy';

/** Each has a colour, a shape and a sound of its own: nobody needs to see colours, or to hear. */
export type Tone = 'go' | 'wait' | 'stop';

interface Words {
  tone: Tone;
  word: string;
  says: string;
}

export const WELCOME: Record<Direction, Words> = {
  in: { tone: 'go', word: 'Welcome', says: '' },
  out: { tone: 'go', word: 'Goodbye', says: '' },
};

export const REASONS: Record<Reason, Words> = {
  unknown: { tone: 'stop', word: 'Not a ticket', says: 'No ticket of this show has this code.' },
  forged: { tone: 'stop', word: 'Not a ticket', says: 'This code was not made by us.' },
  revoked: { tone: 'stop', word: 'Void code', says: 'Its key was revoked. Show the ticket in the app, or search by name.' },
  replaced: { tone: 'stop', word: 'Old code', says: 'The ticket changed hands, and this is the old code.' },
  wrong_event: { tone: 'stop', word: 'Another show', says: 'This ticket is for another show.' },
  not_yet: { tone: 'stop', word: 'Not open yet', says: 'The doors are not open. To try the gate, switch on test scans.' },
  postponed: { tone: 'stop', word: 'Postponed', says: 'The show is postponed.' },
  over: { tone: 'stop', word: 'Over', says: 'The show is over.' },
  event_cancelled: { tone: 'stop', word: 'Cancelled', says: 'The show is cancelled.' },
  cancelled: { tone: 'stop', word: 'Cancelled', says: 'The ticket was cancelled.' },
  refunded: { tone: 'stop', word: 'Refunded', says: 'The ticket was paid back.' },
  wrong_day: { tone: 'stop', word: 'Not today', says: 'The ticket is not valid today.' },
  membership_expired: { tone: 'stop', word: 'Not a member', says: 'Membership expired.' },
  membership_revoked: { tone: 'stop', word: 'Not a member', says: 'Membership expired.' }, // at the door it is the same
  gate_closed: { tone: 'stop', word: 'Gate closed', says: 'This gate is closed.' },
  already_inside: { tone: 'wait', word: 'Already inside', says: '' },
  already_used: { tone: 'wait', word: 'Already used', says: '' },
  no_entries_left: { tone: 'wait', word: 'No entries left', says: 'All entries for today are used.' },
  not_inside: { tone: 'wait', word: 'Not inside', says: 'Nobody is inside with this ticket.' },
  zone_full: { tone: 'stop', word: 'Zone full', says: 'The zone is full.' },
  gate_full: { tone: 'stop', word: 'Gate full', says: 'The gate has reached its limit.' },
};

/** A reason that is newer than this page is shown in the house's own words. */
export function wordsFor(admit: boolean, reason: string | null, direction: Direction, message = ''): Words {
  if (admit) return WELCOME[direction];
  return REASONS[reason as Reason] ?? { tone: 'stop', word: 'Refused', says: message };
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
  const section = ticket.section && ticket.section !== ticket.zone ? (ticket.zone ? `section ${ticket.section}` : ticket.section) : null;
  const parts = [ticket.zone, section, ticket.row && `row ${ticket.row}`, ticket.seat && `seat ${ticket.seat}`, ticket.placeNo && `place ${ticket.placeNo}`];
  return parts.filter(Boolean).join(', ') || 'General admission';
}

/** The time at the venue; said so, where this device's own clock says another. */
export function clock(at: number | string, timeZone: string): string {
  const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone }).format(new Date(at));
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return here === timeZone ? time : `${time} (${timeZone.split('/').at(-1)?.replaceAll('_', ' ')} time)`;
}
