// What the house says of offers, holds, checkouts and orders, under the names that a buyer's page has for it.

import type { checkout_model_Session, holds_model_Item, Line, Offer, QuotedLine, ZoneOccupancy } from '../lib/contract';

export type { Hold, Offer, Order, QuotedLine, WayToPay } from '../lib/contract';

/** A basket says where a seat is; my holds, asked for again, do not; a seat that was reserved alone is one. */
export type HeldLine = Pick<Line, 'hold_id'> & Partial<Line>;

/** What mends a choice that leaves seats alone: take these seats, then leave those holds. */
export interface Fix {
  kind: 'move' | 'add';
  take: string[];
  leave: string[];
}
export type Session = checkout_model_Session;
export type ZoneRow = ZoneOccupancy;

/** What may be asked for. */
export type Wish = holds_model_Item;

/** An offer as it stands at a moment: its time comes and is over without anybody telling (tickets/policy.py). */
export function asOf(offer: Offer, now: number): Offer {
  const { sale_start_at: start, sale_end_at: end, left } = offer;
  const status = now > Date.parse(end) ? 'closed' : now < Date.parse(start) ? 'upcoming' : left === 0 ? 'sold_out' : 'on_sale';
  return { ...offer, status };
}

/** What one place costs. */
export function unitPrice(offer: Offer, category: string | null): number {
  return (category === null ? undefined : offer.prices[category]) ?? offer.price.amount;
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
  isOfType: boolean; // it is held as a ticket of that type, and can be no other
  since: number;
  until: number | null; // null while it does not count down
  companions: string[]; // the seats that are reserved beside a wheelchair place
}
