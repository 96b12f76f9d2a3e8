// An event's overlay: its differences from the layout. It is sent whole; this computes it from a change of one zone.

import type { EventLayoutView, ZoneOverride } from '../../lib/contract';
import type { Zone } from './layouts';

export type Override = ZoneOverride;
export type Overlay = EventLayoutView;
export type { EventZone } from '../../lib/contract';

export interface Wish {
  layout_id: string;
  disabled_zones: string[];
  zone_overrides: Record<string, Override>;
  pricing_zones: Record<string, string>;
  blocked_seat_ids: string[];
  policy: Record<string, boolean | number | null>;
}

/** A zone as the form has it. */
export interface ZoneForm {
  open: boolean;
  name: string;
  zone_type: string;
  capacity: string;
  access_mode: string;
  membership_tier: string;
  allowed_roles: string[];
  price: string; // '' is the layout's own
}

/** The zone for this event: the layout's, with the overlay's changes. */
export function formOf(zone: Zone, overlay: Overlay): ZoneForm {
  const said = overlay.zone_overrides[zone.id] ?? {};
  const mode = said.access_mode ?? zone.access_mode;
  const own = mode === zone.access_mode; // what belonged to another mode does not count
  return {
    open: !overlay.disabled_zones.includes(zone.id),
    name: said.name ?? zone.name,
    zone_type: said.zone_type ?? zone.zone_type,
    capacity: String(said.capacity ?? zone.capacity),
    access_mode: mode,
    membership_tier: said.membership_tier ?? (own ? (zone.membership_tier ?? '') : ''),
    allowed_roles: said.allowed_roles ?? (own ? zone.allowed_roles : []),
    price: overlay.pricing_zones[zone.id] ?? '',
  };
}

/** Only differences from the layout are included. */
export function overrideOf(zone: Zone, form: ZoneForm): Override {
  const said: Override = {};
  if (form.name.trim() !== zone.name) said.name = form.name.trim();
  if (form.zone_type !== zone.zone_type) said.zone_type = form.zone_type as NonNullable<Override['zone_type']>;
  if (Number(form.capacity) !== zone.capacity) said.capacity = Number(form.capacity);
  if (form.access_mode !== zone.access_mode) said.access_mode = form.access_mode as NonNullable<Override['access_mode']>;
  if (form.access_mode === 'membership_tier' && form.membership_tier.trim() !== (zone.membership_tier ?? '')) said.membership_tier = form.membership_tier.trim();
  if (form.access_mode === 'role_based' && form.allowed_roles.join() !== zone.allowed_roles.join()) said.allowed_roles = form.allowed_roles;
  return said;
}

/** The whole overlay with one zone changed. */
export function withZone(overlay: Overlay, zone: Zone, form: ZoneForm): Wish {
  const override = overrideOf(zone, form);
  const { [zone.id]: _former, ...others } = overlay.zone_overrides;
  const { [zone.id]: _price, ...prices } = overlay.pricing_zones;
  return {
    ...wishOf(overlay),
    disabled_zones: form.open ? overlay.disabled_zones.filter((id) => id !== zone.id) : [...new Set([...overlay.disabled_zones, zone.id])],
    zone_overrides: Object.keys(override).length ? { ...others, [zone.id]: override } : others,
    pricing_zones: form.price ? { ...prices, [zone.id]: form.price } : prices,
  };
}

export function wishOf(overlay: Overlay): Wish {
  const { layout_id, disabled_zones, zone_overrides, pricing_zones, blocked_seat_ids, policy } = overlay;
  return { layout_id, disabled_zones, zone_overrides, pricing_zones, blocked_seat_ids, policy };
}
