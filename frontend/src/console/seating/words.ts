// Zones and seats in words, as people call them.

import { COMPANION, RESTRICTED_VIEW, WHEELCHAIR } from '../../lib/map/geometry';
import type { SeatMap } from '../../lib/map/seatmap';
import { named } from '../words';
import { t } from '../words/layouts';

export const ZONE_TYPES: Record<string, string> = t.zoneTypes;

export const ACCESS: Record<string, string> = t.access;

export const LAYOUT_STATES: Record<string, 'good' | 'time' | 'plain'> = { active: 'good', draft: 'time', archived: 'plain' };

const KINDS: Record<number, string> = { [WHEELCHAIR]: t.wheelchairSpace, [COMPANION]: t.companionSeat, [RESTRICTED_VIEW]: t.restrictedView };
/** A seat's states, by their numbers in the map. */
export const STATES = ['free', 'held', 'sold', 'blocked'] as const;

/** `Stalls, row C, seat 4, wheelchair space`. */
export function seatWords(map: SeatMap, ordinal: number): string {
  const { section, row, number, category } = map.describe(ordinal);
  const seat = t.seatOf(section, row, number);
  return KINDS[category] ? `${seat}, ${KINDS[category]}` : seat;
}

/** The same with its state, and whether it is among the chosen. */
export function chosenWords(seat: string, state: number, isChosen: boolean): string {
  const said = `${seat}: ${t.seatStates[STATES[state]!]}`;
  return isChosen ? `${said}, ${t.isChosen}` : said;
}

export function whoMay(zone: { access_mode: string; membership_tier: string | null; allowed_roles?: string[] }): string {
  if (zone.access_mode === 'membership_tier') return t.membersOf(zone.membership_tier ?? '');
  if (zone.access_mode === 'role_based') return t.rolesOf((zone.allowed_roles ?? []).map((role) => named(t.roles, role)).join(', '));
  return ACCESS[zone.access_mode] ?? zone.access_mode;
}
