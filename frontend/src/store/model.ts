// What the house says of offers, holds, checkouts and orders; as much of it as a buyer's page needs.

import type { Money } from '../lib/format';

export interface Offer {
  id: string;
  name: string;
  description: string;
  tier: string;
  kind: 'seated' | 'ga';
  price: Money;
  prices: Record<string, number>;
  zones: string[];
  status: 'upcoming' | 'on_sale' | 'sold_out' | 'closed';
  left: number | null;
  max_per_order: number;
}

export interface HeldLine {
  hold_id: string;
  seat_id: string | null;
  zone_id: string | null;
  ticket_type_id: string | null;
  quantity: number;
  row?: string | null;
  seat_number?: string | null;
  block_name?: string | null;
}

export interface Hold extends Omit<HeldLine, 'hold_id'> {
  id: string;
  held_until: string | null;
  created_at: string;
}

export interface HeldBasket {
  items: HeldLine[];
  held_until_unix_ms: number | null;
  server_time_unix_ms: number;
  explanation: string | null;
}

/** What may be asked for. */
export interface Wish {
  seat_id?: string;
  zone_id?: string;
  ticket_type_id?: string;
  quantity?: number;
}

export interface QuotedLine {
  kind: 'ticket' | 'discount' | 'fee' | 'tax';
  name: string;
  amount: number;
  quantity?: number;
  included?: boolean;
}

/** Seats are billed one by one; what is the same at the same price is one line to a reader. */
export function together(lines: QuotedLine[]): QuotedLine[] {
  const found = new Map<string, QuotedLine>();
  for (const line of lines) {
    const quantity = line.quantity ?? 1;
    const key = JSON.stringify([line.kind, line.name, line.included ?? false, line.amount / quantity]);
    const same = found.get(key);
    found.set(key, { ...line, quantity: (same?.quantity ?? 0) + quantity, amount: (same?.amount ?? 0) + line.amount });
  }
  return [...found.values()];
}

export interface WayToPay {
  provider: string;
  methods: string[];
  notice: string | null;
  public_key: string | null;
}

export interface Session {
  id: string;
  status: string;
  lines: QuotedLine[];
  total: Money;
  ways_to_pay: WayToPay[];
  expires_at_unix_ms: number;
  server_time_unix_ms: number;
  order_id: string | null;
}

export interface Order {
  id: string;
  event_id: string;
  code: string;
  status: string;
  total: Money;
  buyer_name: string;
  buyer_email: string;
  payment: { provider: string; status: string; client_secret: string | null; failure: string | null; notice: string | null };
  tickets: { id: string; number: string; code: string; holder_name: string; seat_id: string | null; zone_id: string | null }[];
  secret: string | null;
}

export interface ZoneRow {
  zone_id: string;
  name: string;
  available: number;
}

/** A price on the map. */
export interface Tier {
  n: number;
  name: string;
  color: string; // CSS
  cost: string;
}

/** A line of the basket on the screen. */
export interface Item {
  holdId: string;
  seatId: string | null;
  zoneId: string | null;
  ordinal: number;
  zone: string; // its key
  title: string;
  quantity: number;
  typeId: string;
  since: number;
  until: number | null; // null while it does not count down
}
