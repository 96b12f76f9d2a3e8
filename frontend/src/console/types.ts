// What the API answers, as far as the console reads it.

import type { Money } from '../lib/format';

export type Status = 'draft' | 'published' | 'live' | 'ended' | 'cancelled' | 'postponed' | 'archived';
export type Move = 'publish' | 'unpublish' | 'start' | 'end' | 'postpone' | 'reschedule' | 'cancel' | 'archive';

export interface Show {
  id: string;
  venue_id: string | null;
  slug: string;
  name: string;
  description: string;
  category: string;
  status: Status;
  start_at: string;
  end_at: string;
  doors_at: string;
  sale_start_at: string;
  sale_end_at: string;
  rescheduled_at: string | null;
  capacity: number;
  settings: Record<string, unknown>;
  venue_name: string;
  city: string;
  timezone: string;
  cover_image_ids: string[];
  replaced_by_event_id: string | null;
  postponement_reason: string | null;
  cancellation_reason: string | null;
  version: number;
  sale_status: string;
  can_sell: boolean;
  scanning: string;
  moves: Move[];
  server_time_unix_ms: number;
}

export interface Venue {
  id: string;
  name: string;
  city: string;
  timezone: string;
  max_capacity: number;
}

export interface Occupancy {
  capacity: number;
  available: number;
  held: number;
  sold: number;
  blocked: number;
  zones: { zone_id: string; name?: string; capacity: number; available: number; held: number; sold: number; blocked: number }[];
}

export interface Seating {
  layout_id: string | null;
  occupancy: Occupancy | null;
}

/** The same, as streams tell it. */
export interface OccupancyNews {
  event_id: string;
  total: number;
  total_available: number;
  total_held: number;
  total_sold: number;
  total_blocked: number;
}

export interface TicketType {
  id: string;
  name: string;
  description: string;
  tier: string;
  kind: 'seated' | 'ga';
  price: number;
  currency: string;
  prices: Record<string, number>;
  zones: string[];
  quantity: number | null;
  sale_start_at: string | null;
  sale_end_at: string | null;
  entitlement: string;
  valid_days: string[];
  max_daily_entries: number | null;
  max_per_order: number | null;
  hidden: boolean;
  position: number;
  version: number;
  held: number | null;
  sold: number | null;
}

export interface PromoCode {
  id: string;
  code: string;
  kind: 'percent' | 'fixed' | 'access';
  basis_points: number | null;
  amount: number | null;
  ticket_type_ids: string[];
  max_uses: number | null;
  uses: number;
  budget: number | null;
  spent: number;
  valid_from: string | null;
  valid_until: string | null;
  active: boolean;
  version: number;
}

export interface Charge {
  name: string;
  kind: 'fee' | 'tax';
  basis_points: number;
  amount: number;
  per: 'ticket' | 'order';
  included: boolean;
}

export interface FoundOrder {
  id: string;
  event_id: string;
  event_name: string;
  code: string;
  status: string;
  provider: string;
  total: Money;
  buyer_name: string;
  buyer_email: string;
  created_at: string;
  tickets: number;
  refunded: number;
}

export interface Order {
  id: string;
  event_id: string;
  code: string;
  status: string;
  lines: { kind: string; name: string; amount: number; quantity?: number; included?: boolean }[];
  total: Money;
  buyer_name: string;
  buyer_email: string;
  payment: { provider: string; status: string; failure: string | null; notice: string | null };
  tickets: { id: string; number: string; code: string; status: string; holder_name: string }[];
  reason: string | null;
  created_at: string;
  paid_at: string | null;
}

export interface OrderRefund {
  id: string;
  amount: Money;
  status: string;
  reason: string;
  fees: 'keep' | 'return' | null;
  ticket_ids: string[];
  failure: string | null;
  tries: number;
  paid_outside: string | null;
  created_at: string;
}

export interface ShowSales {
  event_id: string;
  name: string;
  status: Status;
  start_at: string;
  rescheduled_at: string | null;
  timezone: string;
  capacity: number;
  sold: number;
  orders: number;
  currency: string | null;
  amount: number;
  refunded: number;
}

export interface SalesPoint {
  at: string;
  orders: number;
  tickets: number;
  amount: Money;
}

export interface QueueRoom {
  mode: 'auto' | 'on' | 'off';
  state: 'closed' | 'pre' | 'open' | 'paused' | 'draining';
  slots: number;
  admit_window_s: number;
  opens_at: string | null;
  sold_out: boolean;
  now: {
    waiting: number;
    admitted: number;
    admitted_per_minute: number | null;
    joined_in_all: number;
    expired_in_all: number;
    left_in_all: number;
    bought_in_all: number;
  };
}

export interface GateCount {
  id: string;
  name: string | null;
  status: string | null;
  capacity: number | null;
  inside: number;
  entered: number;
}

export interface LiveGates {
  day: string;
  inside: number;
  entered: number;
  rejected: number;
  incidents: number;
  gates: GateCount[];
  zones: GateCount[];
}
