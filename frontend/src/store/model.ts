// The API's offers, holds, checkouts and orders, under the shop's own names.

import type { checkout_model_Session, holds_model_Item, BasketItem, Offer, QuotedLine, ZoneOccupancy } from '../lib/contract';

export type { Hold, Offer, Order, QuotedLine, WayToPay } from '../lib/contract';

/** A held item in a response: a basket's items have the seat's name, the list of my holds does not. */
export type HeldLine = Pick<BasketItem, 'hold_id'> & Partial<BasketItem>;

/** A change that leaves no single seats: hold the seats in `take`, then release the holds in `leave`. */
export interface Fix {
  kind: 'move' | 'add';
  take: string[];
  leave: string[];
}
export type Session = checkout_model_Session;
export type ZoneRow = ZoneOccupancy;

/** What may be asked for. */
export type Wish = holds_model_Item;

/** An offer as it stands at a moment: its sale begins and ends without an announcement (tickets/policy.py). */
export function asOf(offer: Offer, now: number): Offer {
  const { sale_start_at: start, sale_end_at: end, left } = offer;
  const status = now > Date.parse(end) ? 'closed' : now < Date.parse(start) ? 'upcoming' : left === 0 ? 'sold_out' : 'on_sale';
  return { ...offer, status };
}

/** The price of one ticket. */
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
  companions: string[]; // the seats that are reserved beside a wheelchair space
}
