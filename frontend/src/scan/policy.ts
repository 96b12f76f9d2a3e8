// Who may come in: the server's decision (scanning/policy.py) once more, for gates without a connection. Both answer every
// case of tests/scanning/cases.json. Times are milliseconds, days are texts like 2026-06-20.

export interface Presence {
  inside: boolean;
  day: string | null;
  entriesToday: number;
  entries: number;
  at: number | null;
  gate: string | null;
}

export type Direction = 'in' | 'out';
export type Claimed = 'good' | 'unknown' | 'forged' | 'revoked';
export type EventStatus = 'draft' | 'published' | 'live' | 'postponed' | 'ended' | 'cancelled' | 'archived';
export type TicketStatus = 'valid' | 'used' | 'cancelled' | 'refunded';
export type MembershipStatus = 'active' | 'suspended' | 'revoked';
export type Entitlement = 'single' | 'limited_reentry_per_day' | 'unlimited_multi_day' | 'ga_seated' | 'ga_standing';

export interface Scene {
  now: number;
  day: string;
  direction: Direction;
  test: boolean;
  override: boolean;
  claim: Claimed;
  sameEvent: boolean;
  replaced: boolean;
  eventStatus: EventStatus;
  inNewWindow: boolean;
  ticketStatus: TicketStatus;
  entitlement: Entitlement;
  maxDailyEntries: number | null;
  validDays: string[];
  membershipStatus: MembershipStatus | null;
  memberFrom: number | null;
  memberUntil: number | null;
  gate: string;
  gateOpen: boolean;
  gateInside: number;
  gateCapacity: number | null;
  zoneInside: number;
  zoneCapacity: number | null;
  presence: Presence;
}

export type Reason =
  | 'unknown' | 'forged' | 'revoked' | 'replaced' | 'wrong_event' | 'not_yet' | 'postponed' | 'over' | 'event_cancelled' // prettier-ignore
  | 'cancelled' | 'refunded' | 'wrong_day' | 'membership_expired' | 'membership_revoked' | 'gate_closed' | 'already_inside' // prettier-ignore
  | 'already_used' | 'no_entries_left' | 'not_inside' | 'zone_full' | 'gate_full'; // prettier-ignore

/** `reason` is why the ticket was refused; or, if it was admitted, the reason that a supervisor has overridden. */
export interface Verdict {
  admit: boolean;
  reason: Reason | null;
  presence: Presence;
}

export const NEVER: Presence = { inside: false, day: null, entriesToday: 0, entries: 0, at: null, gate: null };

// By the event's status: the reason against real scans, if any, and whether test scans are allowed.
const PHASES: Record<EventStatus, [Reason | null, boolean]> = {
  draft: ['not_yet', true],
  published: ['not_yet', true],
  live: [null, true],
  postponed: ['postponed', true], // within the new window it is as if live
  ended: ['over', false],
  cancelled: ['event_cancelled', false],
  archived: ['over', false],
};
const VOID: Record<TicketStatus, Reason | null> = { valid: null, used: null, cancelled: 'cancelled', refunded: 'refunded' };
const MEMBERSHIPS: Record<MembershipStatus, Reason | null> = { active: null, suspended: 'membership_revoked', revoked: 'membership_revoked' };
// How often a ticket admits. Without a limit, any number of times, after each exit.
const ENTITLEMENTS: Record<Entitlement, { inAll?: number; aDay?: boolean }> = {
  single: { inAll: 1 },
  limited_reentry_per_day: { aDay: true },
  unlimited_multi_day: {},
  ga_seated: {},
  ga_standing: {},
};
/** What a supervisor may let pass. */
export const OVERRIDABLE: ReadonlySet<Reason> = new Set<Reason>([
  'wrong_day', 'already_inside', 'already_used', 'no_entries_left', 'gate_closed', 'membership_expired', 'membership_revoked', 'replaced', // prettier-ignore
]);

type Check = (scene: Scene) => Reason | null;

const identity: Check = (scene) => (scene.claim === 'good' ? null : scene.claim);
const event: Check = (scene) => (scene.sameEvent ? null : 'wrong_event');
const phase: Check = (scene) => {
  const [reason, tests] = PHASES[scene.eventStatus];
  if (scene.test && tests) return null;
  return scene.eventStatus === 'postponed' && scene.inNewWindow ? null : reason;
};
const voided: Check = (scene) => VOID[scene.ticketStatus];
const replaced: Check = (scene) => (scene.replaced ? 'replaced' : null);
const day: Check = (scene) => (scene.validDays.length > 0 && !scene.validDays.includes(scene.day) ? 'wrong_day' : null);
const membership: Check = (scene) => {
  if (scene.membershipStatus === null) return null;
  const reason = MEMBERSHIPS[scene.membershipStatus];
  if (reason) return reason;
  const begun = scene.memberFrom === null || scene.memberFrom <= scene.now;
  const still = scene.memberUntil === null || scene.now < scene.memberUntil;
  return begun && still ? null : 'membership_expired';
};
const gate: Check = (scene) => (scene.gateOpen ? null : 'gate_closed');
const entries: Check = (scene) => entriesReason(scene.entitlement, scene.maxDailyEntries, scene.presence, scene.day);
const inside: Check = (scene) => (isInside(scene.presence, scene.day) ? null : 'not_inside');
const zoneRoom: Check = (scene) => (isFull(scene.zoneInside, scene.zoneCapacity) && !isInside(scene.presence, scene.day) ? 'zone_full' : null);
const gateRoom: Check = (scene) => (isFull(scene.gateInside, scene.gateCapacity) && !isInside(scene.presence, scene.day) ? 'gate_full' : null);

// The first check that fails gives the reason. An exit needs no membership, valid day or open gate.
const CHECKS: Record<Direction, Check[]> = {
  in: [identity, event, phase, voided, replaced, day, membership, gate, entries, zoneRoom, gateRoom],
  out: [identity, event, phase, inside],
};

/** Admit or the first reason against it. With a supervisor's override, overridable reasons are skipped; the first is recorded. */
export function decide(scene: Scene): Verdict {
  let overrode: Reason | null = null;
  for (const check of CHECKS[scene.direction]) {
    const reason = check(scene);
    if (reason === null) continue;
    if (!(scene.override && OVERRIDABLE.has(reason))) return { admit: false, reason, presence: scene.presence };
    overrode ??= reason;
  }
  return { admit: true, reason: overrode, presence: scene.test ? scene.presence : after(scene.presence, scene) };
}

/** Without an exit scan, a person counts as outside when the day is over. */
export function isInside(presence: Presence, today: string): boolean {
  return presence.inside && presence.day === today;
}

function isFull(inside: number, capacity: number | null): boolean {
  return capacity !== null && inside >= capacity;
}

function entriesReason(entitlement: Entitlement, aDay: number | null, presence: Presence, today: string): Reason | null {
  if (isInside(presence, today)) return 'already_inside';
  const rule = ENTITLEMENTS[entitlement];
  if (rule.inAll !== undefined && presence.entries >= rule.inAll) return 'already_used';
  const used = presence.day === today ? presence.entriesToday : 0;
  return rule.aDay && aDay !== null && used >= aDay ? 'no_entries_left' : null;
}

/** While inside, the time and gate of the first entry stay: a second person with the ticket is shown them. */
export function after(was: Presence, step: Pick<Scene, 'direction' | 'day' | 'now' | 'gate'>): Presence {
  if (step.direction === 'out') return { ...was, inside: false };
  const still = isInside(was, step.day);
  return {
    inside: true,
    day: step.day,
    entriesToday: (was.day === step.day ? was.entriesToday : 0) + 1,
    entries: was.entries + 1,
    at: still ? was.at : step.now,
    gate: still ? was.gate : step.gate,
  };
}
