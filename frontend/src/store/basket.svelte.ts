// What I hold, until when; and what instead, when somebody was faster.

import { language } from '../lib/language';
import { newKey, Problem } from '../lib/api';
import { hear } from '../lib/clock.svelte';
import { money, type Money } from '../lib/format';
import { AVAILABLE } from '../lib/map/geometry';
import { nearestFree } from '../lib/map/nearest';
import { sentence, t } from '../lib/words';
import type { Hall } from './hall.svelte';
import type { HeldBasket, HeldLine, Hold, Item, Offer, Wish } from './model';
import type { Visitor } from './visitor.svelte';

/** Something else that can be had with one press. */
export interface Instead {
  text: string;
  press: string;
  take: () => Promise<void>;
}

// What a refusal says when there is not enough for a party: then there may still be a list to wait on.
const TOO_FEW = ['group_adjacency_strict', 'block_at_capacity', 'sold_out'];
const TAKEN = ['seat_not_available', 'seat_held_by_another_user', 'seat_no_longer_available'];

export class Basket {
  items: Item[] = $state([]);
  offers: Offer[] = $state.raw([]);
  instead: Instead | null = $state.raw(null);
  lost: Item[] = $state.raw([]); // what I held when the time was over
  isBusy = $state(false);
  hasTooFew = $state(false);

  constructor(
    private readonly eventId: string,
    private readonly visitor: Visitor,
    private readonly hall: Hall,
    private readonly say: (message: string, mood?: 'calm' | 'wrong') => void,
    private readonly refused: (error: unknown) => boolean,
  ) {}

  async loadOffers(): Promise<void> {
    this.offers = await this.visitor.api.get<Offer[]>(`/api/events/${this.eventId}/offers`);
  }

  /** What I held before the page was closed. */
  async find(): Promise<void> {
    const holds = await this.visitor.api.get<Hold[]>(`/api/events/${this.eventId}/holds`);
    this.put(holds.map((hold) => ({ ...hold, hold_id: hold.id })), (hold) => (hold.held_until ? Date.parse(hold.held_until) : null));
  }

  // --- taking

  async pick(ordinal: number): Promise<void> {
    const mine = this.items.find((item) => item.ordinal === ordinal);
    if (mine) return this.giveBack(mine);
    await this.takeSeats(this.hall.map?.geometry.wholes.get(ordinal) ?? [ordinal]);
  }

  async takeSeats(ordinals: number[]): Promise<void> {
    await this.hold({ items: ordinals.map((n) => ({ seat_id: this.hall.seatId(n) })) }, ordinals);
  }

  async takePlaces(zone: number, quantity: number): Promise<void> {
    const zoneId = this.hall.zoneId(zone);
    if (zoneId) await this.hold({ items: [{ zone_id: zoneId, quantity }] });
  }

  async takeType(typeId: string, quantity: number): Promise<void> {
    await this.hold({ items: [{ ticket_type_id: typeId, quantity }] });
  }

  /** The best that are left; of one price if the chips leave one. */
  async best(quantity: number, accessible = 0): Promise<void> {
    const only = this.hall.shown?.length === 1 ? this.hall.map?.geometry.prices[this.hall.shown[0]!]?.[0] : undefined;
    await this.hold({ best_available: { quantity, accessible, ...(only ? { price_category: only } : {}) } });
  }

  private async hold(body: { items?: Wish[]; best_available?: object }, seats: number[] = []): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    this.instead = null;
    this.lost = [];
    try {
      await this.visitor.signIn();
      const held = await this.visitor.api.post<HeldBasket>(`/api/events/${this.eventId}/holds`, body, { key: newKey() });
      hear(held.server_time_unix_ms);
      const fresh = this.put(held.items, () => held.held_until_unix_ms);
      const many = fresh.reduce((sum, item) => sum + item.quantity, 0);
      const why = language === 'en' ? held.explanation : null; // the house gives its reasons in English
      this.say(why ?? (many === 1 ? t.nowYours(fresh[0]!.title) : t.someYours(many)));
    } catch (error) {
      await this.answer(error, seats);
    } finally {
      this.isBusy = false;
    }
  }

  /** A refusal keeps what I have, and says what could be had instead. */
  private async answer(error: unknown, seats: number[]): Promise<void> {
    if (this.refused(error)) return;
    if (!(error instanceof Problem)) return this.say(sentence(error), 'wrong');
    if (TOO_FEW.includes(error.code)) this.hasTooFew = true;
    const rest = this.items.length ? ` ${t.keptRest}` : '';
    if (TAKEN.includes(error.code) && seats.length) {
      await this.hall.refresh();
      this.say((seats.length === 1 ? t.taken(this.hall.title(seats[0]!)) : sentence(error)) + rest, 'wrong');
      return this.offerNearest(seats);
    }
    this.say(sentence(error) + rest, 'wrong');
    const other = error.more.alternative as string[] | null | undefined;
    if (error.code === 'orphan_seats' && other?.length) this.offerSeats(other.map((id) => this.hall.ordinalOf(id)));
    const largest = Number(error.more.largest);
    if (error.code === 'group_adjacency_strict' && largest > 0)
      this.instead = { text: t.bestOf(largest), press: t.takeBest(largest), take: () => this.best(largest) };
  }

  private offerNearest(seats: number[]): void {
    const map = this.hall.map;
    if (!map) return;
    const free = seats.filter((seat) => map.states[seat] === AVAILABLE);
    const others = nearestFree(map, seats, seats.length - free.length);
    const all = [...free, ...others];
    if (!all.length) return;
    const text = all.length === 1 ? t.nearest(this.hall.title(all[0]!)) : t.nearestSome(all.length);
    this.instead = { text, press: all.length === 1 ? t.takeIt : t.takeThem, take: () => this.takeSeats(all) };
  }

  private offerSeats(seats: number[]): void {
    const text = t.orThese(seats.map((seat) => this.hall.title(seat)).join('; '));
    this.instead = { text, press: seats.length === 1 ? t.takeIt : t.takeThem, take: () => this.takeSeats(seats) };
  }

  // --- giving back, and losing

  async giveBack(item: Item): Promise<void> {
    try {
      await this.visitor.api.delete(`/api/holds/${item.holdId}`);
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) return this.say(sentence(error), 'wrong');
    }
    this.items = this.items.filter(({ holdId }) => holdId !== item.holdId);
    this.markMine();
    this.say(t.gaveBack(item.title));
  }

  /** Time is over: what was held is anybody's again. */
  expire(): void {
    this.lost = this.items;
    this.clear();
    this.say('');
  }

  /** The way back: as much of it as can still be had. */
  async takeAgain(): Promise<void> {
    const before = this.lost;
    await this.hall.refresh();
    const map = this.hall.map;
    const seats = before.filter(({ ordinal }) => ordinal >= 0).map(({ ordinal }) => ordinal);
    const free = seats.filter((seat) => map?.states[seat] === AVAILABLE);
    const places = before.filter(({ ordinal }) => ordinal < 0);
    const wishes: Wish[] = [
      ...free.map((seat) => ({ seat_id: this.hall.seatId(seat) })),
      ...places.map(({ zoneId, typeId, quantity }) => (zoneId ? { zone_id: zoneId, quantity } : { ticket_type_id: typeId, quantity })),
    ];
    this.lost = [];
    if (wishes.length) await this.hold({ items: wishes }, free);
    const gone = seats.filter((seat) => !free.includes(seat));
    if (gone.length && !this.instead) {
      this.say(gone.map((seat) => t.taken(this.hall.title(seat))).join(' '), 'wrong');
      this.offerNearest(gone);
    }
  }

  clear(): void {
    this.items = [];
    this.instead = null;
    this.markMine();
  }

  get heldUntil(): number | null {
    const times = this.items.map((item) => item.until).filter((time) => time !== null);
    return times.length ? Math.min(...times) : null;
  }

  // --- what it costs

  /** The types that sell this place, dearest first. */
  typesFor(item: Pick<Item, 'zone' | 'seatId'>): Offer[] {
    const seated = item.seatId !== null;
    return this.offers
      .filter((offer) => offer.status === 'on_sale' && (!this.hall.hasMap || ((offer.kind === 'seated') === seated && (!offer.zones.length || offer.zones.includes(item.zone)))))
      .toSorted((a, b) => b.price.amount - a.price.amount);
  }

  /** What a seat costs, by the types that sell its zone. */
  costOf(ordinal: number): string {
    const map = this.hall.map;
    if (!map || ordinal < 0) return '';
    const zone = map.geometry.zones[map.zoneOf(ordinal)]?.key ?? '';
    const [offer] = this.typesFor({ zone, seatId: '' });
    return offer ? money({ amount: unitPrice(offer, this.hall.categoryOf(ordinal, zone)), currency: offer.price.currency }) : '';
  }

  /** What places of a price category cost: of a seat that has it, or of a zone without seats. */
  costAt(price: number): string {
    const { geometry } = this.hall.map ?? {};
    const seat = geometry?.price.indexOf(price) ?? -1;
    if (seat >= 0) return this.costOf(seat);
    const area = geometry?.zones.find((zone) => zone.price === price);
    const [offer] = area ? this.typesFor({ zone: area.key, seatId: null }) : [];
    return offer ? money({ amount: unitPrice(offer, geometry!.prices[price]![0]), currency: offer.price.currency }) : '';
  }

  typeOf(item: Item): Offer | null {
    return this.offers.find(({ id }) => id === item.typeId) ?? null;
  }

  priceOf(item: Item): Money | null {
    const offer = this.typeOf(item);
    return offer && { amount: unitPrice(offer, this.hall.categoryOf(item.ordinal, item.zone)) * item.quantity, currency: offer.price.currency };
  }

  get total(): Money | null {
    const prices = this.items.map((item) => this.priceOf(item)).filter((price) => price !== null);
    return prices.length ? { amount: prices.reduce((sum, price) => sum + price.amount, 0), currency: prices[0]!.currency } : null;
  }

  // --- lines

  private put<T extends HeldLine>(lines: T[], until: (line: T) => number | null): Item[] {
    const known = new Set(this.items.map((item) => item.holdId));
    const fresh = lines.filter((line) => !known.has(line.hold_id)).map((line) => this.itemOf(line, until(line)));
    this.items = [...this.items, ...fresh];
    this.markMine();
    return fresh;
  }

  private itemOf(line: HeldLine, until: number | null): Item {
    const ordinal = this.hall.ordinalOf(line.seat_id);
    const zoneName = line.block_name ?? this.hall.zoneName(line.zone_id);
    const zone = ordinal >= 0 && this.hall.map ? this.hall.map.geometry.zones[this.hall.map.zoneOf(ordinal)]!.key : this.hall.keyOf(zoneName);
    const item: Item = {
      holdId: line.hold_id,
      seatId: line.seat_id ?? null,
      zoneId: line.zone_id ?? null,
      ordinal,
      zone,
      title: line.seat_id ? (this.hall.map && ordinal >= 0 ? this.hall.title(ordinal) : t.seat(zoneName, line.row ?? '–', line.seat_number ?? '–')) : zoneName,
      quantity: line.quantity,
      typeId: line.ticket_type_id ?? '',
      until,
    };
    item.typeId ||= this.typesFor(item)[0]?.id ?? '';
    item.title ||= this.typeOf(item)?.name ?? t.place;
    return item;
  }

  /** What is known only once the map is there: names of seats that were found before it was drawn. */
  nameAgain(): void {
    for (const item of this.items) {
      if (item.ordinal < 0 && item.seatId) item.ordinal = this.hall.ordinalOf(item.seatId);
      if (item.ordinal < 0 || !this.hall.map) continue;
      item.title = this.hall.title(item.ordinal);
      item.zone = this.hall.map.geometry.zones[this.hall.map.zoneOf(item.ordinal)]!.key;
      if (!this.typesFor(item).some(({ id }) => id === item.typeId)) item.typeId = this.typesFor(item)[0]?.id ?? item.typeId;
    }
    this.markMine();
  }

  private markMine(): void {
    this.hall.map?.setMine(this.items.filter((item) => item.ordinal >= 0).map((item) => item.ordinal));
  }
}

export function unitPrice(offer: Offer, category: string | null): number {
  return (category === null ? undefined : offer.prices[category]) ?? offer.price.amount;
}
