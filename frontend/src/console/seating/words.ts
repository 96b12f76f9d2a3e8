// Zones and seats in words, as people call them.

import { COMPANION, RESTRICTED_VIEW, WHEELCHAIR } from '../../lib/map/geometry';
import type { SeatMap } from '../../lib/map/seatmap';

export const ZONE_TYPES: Record<string, string> = {
  reserved_seating: 'Reserved seats',
  ga_seated: 'Seats without numbers',
  ga_standing: 'Standing',
  vip_reserved: 'VIP seats',
  vip_standing: 'VIP standing',
};

export const ACCESS: Record<string, string> = {
  public: 'Everybody',
  membership_tier: 'Members of a tier',
  role_based: 'Certain roles',
  whitelist: 'Invited guests',
};

export const LAYOUT_STATES: Record<string, 'good' | 'time' | 'plain'> = { active: 'good', draft: 'time', archived: 'plain' };

const KINDS: Record<number, string> = { [WHEELCHAIR]: ', wheelchair place', [COMPANION]: ', companion seat', [RESTRICTED_VIEW]: ', restricted view' };
export const STATES = ['free', 'held', 'sold', 'blocked'];

/** `Stalls, row C, seat 4, wheelchair place`. */
export function seatWords(map: SeatMap, ordinal: number): string {
  const { section, row, number, category } = map.describe(ordinal);
  return `${section}, row ${row}, seat ${number}${KINDS[category] ?? ''}`;
}

export function whoMay(zone: { access_mode: string; membership_tier: string | null; allowed_roles?: string[] }): string {
  if (zone.access_mode === 'membership_tier') return `Members (${zone.membership_tier})`;
  if (zone.access_mode === 'role_based') return `Roles: ${(zone.allowed_roles ?? []).join(', ')}`;
  return ACCESS[zone.access_mode] ?? zone.access_mode;
}
