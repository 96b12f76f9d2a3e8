// The buyer's holds and their times; and alternatives when another buyer was faster.

import type { HoldItems, PromoEffect } from '../lib/contract';
import { language } from '../lib/language';
import { newKey, Problem } from '../lib/api';
import { hear, serverNow } from '../lib/clock.svelte';
import { money, type Money } from '../lib/format';
import { AVAILABLE } from '../lib/map/geometry';
import { nearestFree } from '../lib/map/nearest';
import { lettered, tierColor, tierLetter } from '../lib/map/palette';
import { forget, remember, remembered } from '../lib/remembered';
import { sentence, t } from '../lib/words';
import { bill } from './bill';
import type { Hall } from './hall.svelte';
import { soonest, type Span } from './marks';
import { asOf, type Fix, type HeldLine, type Hold, type Item, type Offer, type QuotedLine, type Session, type Tier, unitPrice, type Wish } from './model';
import type { Visitor } from './visitor.svelte';

/** Something else that can be had with one press. */
export interface Instead extends Choice {
  text: string;
  or?: Choice | undefined;
}

interface Choice {
  press: string;
  take: () => Promise<void>;
}

// Codes of refusals that mean: not enough for this group. The waitlist is offered then.
const TOO_FEW = ['group_adjacency_strict', 'block_at_capacity', 'sold_out'];
const TAKEN = ['seat_not_available', 'seat_held_by_another_user', 'seat_no_longer_available'];
const DAY_MS = 86_400_000; // a timer cannot wait much longer
const GUESTS = 'fullhouse:basket'; // what a guest holds: the sign-in page says that it is kept

/** What a guest held last, to see after signing in whether all of it came along. */
interface Memo {
  event: string;
  until: number | null; // null: it does not count down
  titles: Record<string, string>; // by hold
}

export class Basket {
  items: Item[] = $state([]);
  offers: Offer[] = $state.raw([]);
  instead: Instead | null = $state.raw(null);
  lost: Item[] = $state.raw([]); // items whose hold has expired
  behind: string[] = $state.raw([]); // what I held as a guest and the account could not take over, because of its limit
  isBusy = $state(false);
  hasTooFew = $state(false);
  code = $state(''); // the promo code in use: sent with requests for offers and holds
  effect: PromoEffect | null = $state.raw(null); // what it does, if that is known
  areOffersKnown = $state(false);
  /** Reads the offers again; replaced by the promo code's own. */
  renew: () => void = () => void this.loadOffers().catch(() => {}); // the stream brings them
  private heard = 0; // how many times the server has sent offers
  private explained = ''; // the explanation of the best available seats
  private turning: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly eventId: string,
    private readonly visitor: Visitor,
    private readonly hall: Hall,
    private readonly say: (message: string, mood?: 'calm' | 'wrong') => void,
    private readonly refused: (error: unknown) => boolean,
  ) {}

  /** As everybody is offered them, or with the code. */
  async loadOffers(code = this.code): Promise<void> {
    const heard = this.heard;
    const answer = await this.visitor.api.open(`/api/events/${this.eventId}/offers${code && `?code=${encodeURIComponent(code)}`}`);
    hear(Date.parse(answer.headers.get('date') ?? ''));
    const { data: offers } = (await answer.json()) as { data: Offer[] };
    if (heard === this.heard && code === this.code) this.putOffers(offers); // offers that arrived meanwhile may be newer
  }

  hearOffers(offers: Offer[]): void {
    this.heard++;
    this.putOffers(offers);
  }

  /** Looks again, without asking, when the next sale of a type begins or ends. */
  private putOffers(offers: Offer[]): void {
    this.offers = offers;
    this.areOffersKnown = true;
    this.showSold();
    clearTimeout(this.turning);
    const now = serverNow();
    const turns = offers.flatMap((offer) => [Date.parse(offer.sale_start_at), Date.parse(offer.sale_end_at)]).filter((turn) => turn >= now);
    if (turns.length) this.turning = setTimeout(() => this.putOffers(this.offers.map((offer) => asOf(offer, serverNow()))), Math.min(Math.min(...turns) - now + 300, DAY_MS));
  }

  close(): void {
    clearTimeout(this.turning);
  }

  // --- a promo code

  /** From now on with this code, or without one. What is held keeps its type as long as that is offered. */
  use(code: string, effect: PromoEffect | null, offers: Offer[]): void {
    this.code = code;
    this.effect = effect;
    this.hearOffers(offers);
  }

  /** What I hold and cannot buy: nothing that is offered to me sells it, as where a code was removed. */
  get unsold(): Item[] {
    return this.areOffersKnown ? this.items.filter((item) => !this.typeOf(item)) : [];
  }

  /** Nothing can be bought at this moment, without a code or with mine. */
  get isClosed(): boolean {
    return this.areOffersKnown && !this.offers.some(({ status }) => status === 'on_sale');
  }

  get sellsSeats(): boolean {
    return this.offers.some(({ kind, status }) => kind === 'seated' && status === 'on_sale');
  }

  /** On the map, what nothing sells to me is not for sale. */
  private showSold(): void {
    for (const item of this.items) if (!this.typeOf(item)) item.typeId = this.typeFor(item) || item.typeId;
    this.hall.closeZones((this.hall.map?.geometry.zones ?? []).map(({ key, isOpen }) => this.areOffersKnown && !this.typesFor({ zone: key, seatId: isOpen ? null : '' }).length));
  }

  /** Reads my holds from the server, also those from before the page was closed. Returns the items whose hold has ended. */
  async find(): Promise<Item[]> {
    const before = this.items; // what is taken while we ask may be too new for the answer
    const answer = await this.visitor.api.bytes(`/api/events/${this.eventId}/holds`);
    hear(Date.parse(answer.headers.get('date') ?? ''));
    const { data: holds } = (await answer.json()) as { data: Hold[] };
    const ends = new Map(holds.map(({ id, held_until }) => [id, held_until ? Date.parse(held_until) : null]));
    const over = before.filter(({ holdId }) => !ends.has(holdId));
    this.behind = this.visitor.person ? missing(this.eventId, (hold) => ends.has(hold)) : [];
    this.drop(over);
    for (const item of this.items) {
      const hold = holds.find(({ id }) => id === item.holdId);
      if (!hold) continue;
      item.until = ends.get(hold.id) ?? null;
      item.companions = idsOf(hold);
    }
    this.put(holds.map((hold) => ({ ...hold, hold_id: hold.id })), ({ id, created_at }) => [Date.parse(created_at), ends.get(id) ?? null]);
    return over;
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

  /** Without a type they are held for every day; where types are for some days, it is chosen first. */
  async takePlaces(zone: number, quantity: number, typeId?: string): Promise<void> {
    const zoneId = this.hall.zoneId(zone);
    if (zoneId) await this.hold({ items: [placesOf(zoneId, quantity, typeId)] });
  }

  async takeType(typeId: string, quantity: number): Promise<void> {
    await this.hold({ items: [{ ticket_type_id: typeId, quantity }] });
  }

  private wished: [number, number] = [0, 0];

  /** The best that are left; of one price if the chips leave one. */
  async best(quantity: number, accessible = 0, apart = false): Promise<void> {
    this.wished = [quantity, accessible];
    const only = this.hall.shown?.length === 1 ? this.hall.map?.geometry.prices[this.hall.shown[0]!]?.[0] : undefined;
    await this.hold({ best_available: { quantity, accessible, language: language as 'en' | 'af', ...(only ? { price_category: only } : {}), ...(apart ? { allow_split: true } : {}) } });
  }

  private hold(body: HoldItems, seats: number[] = []): Promise<void> {
    return this.alone(() => this.ask(body, seats));
  }

  /** One thing at a time: what is pressed meanwhile was meant for what stood there before. */
  private async alone(deed: () => Promise<void>): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      await deed();
    } finally {
      this.isBusy = false;
    }
  }

  private async ask(body: HoldItems, seats: number[]): Promise<void> {
    this.instead = null;
    this.lost = [];
    const lost = seats.length === 1 ? this.loss(seats[0]!) : ''; // before the request: the response changes the map
    try {
      await this.visitor.signIn();
      // A seat that is picked alone is never refused for what it leaves beside it: that is judged at checkout.
      const [only, ...more] = body.items ?? [];
      const fresh = only?.seat_id && !more.length ? await this.reserve(only.seat_id) : await this.holdAll({ ...body, ...this.withCode });
      if (!seats.length) this.hall.map?.bring(fresh.filter(({ ordinal }) => ordinal >= 0).map(({ ordinal }) => ordinal));
      const many = fresh.reduce((sum, item) => sum + item.quantity, 0);
      this.say(this.explained || (many === 1 ? t.added(fresh[0]!.title) : t.addedTickets(many)));
    } catch (error) {
      await this.answer(error, seats, lost);
    }
  }

  private async holdAll(body: HoldItems): Promise<Item[]> {
    const held = await this.visitor.api.post(`/api/events/${this.eventId}/holds`, body, { key: newKey() });
    hear(held.server_time_unix_ms);
    this.explained = held.explanation ?? '';
    return this.put(held.items, () => [held.server_time_unix_ms, held.held_until_unix_ms]);
  }

  private get withCode(): { promo_code?: string } {
    return this.code ? { promo_code: this.code } : {};
  }

  private async reserve(seatId: string): Promise<Item[]> {
    const held = await this.visitor.api.post(`/api/events/${this.eventId}/seats/${seatId}/reserve`, this.withCode);
    hear(held.server_time_unix_ms);
    this.explained = '';
    return this.put([held], () => [held.server_time_unix_ms, held.held_until_unix_ms]);
  }

  // --- leaving for checkout

  /** Offers the changes that leave no single seats: one press applies one and continues to the checkout. */
  offerFixes(error: unknown, go: () => Promise<void>): boolean {
    if (!(error instanceof Problem) || error.code !== 'orphan_seats') return false;
    const numbers = (seats: (string | null)[]) => seats.map((id) => this.hall.map?.describe(this.hall.ordinalOf(id)).number).join(', ');
    const seatsOf = (holds: string[]) => this.items.filter(({ holdId }) => holds.includes(holdId)).map(({ seatId }) => seatId);
    const [first, or] = ((error.more.fixes ?? []) as Fix[]).map((fix): Choice => ({
      press: fix.kind === 'add' ? t.addSeat(numbers(fix.take), this.costOf(this.hall.ordinalOf(fix.take[0]!))) : t.moveSeat(numbers(fix.take), numbers(seatsOf(fix.leave))),
      take: () => this.mend(fix, go),
    }));
    const alone = (error.more.orphans as string[]).map((id) => this.hall.title(this.hall.ordinalOf(id)));
    this.say(t.singleLeft(alone.join('; ')), 'wrong');
    this.instead = first ? { text: '', ...first, or } : null;
    return true;
  }

  /** Holds the new seats first and then releases the old ones: if another buyer is faster, nothing is lost. */
  private async mend({ take, leave }: Fix, go: () => Promise<void>): Promise<void> {
    let isMended = false;
    await this.alone(async () => {
      this.instead = null;
      const fresh: Item[] = [];
      const old = this.items.filter(({ holdId }) => leave.includes(holdId));
      try {
        for (const seat of take) fresh.push(...(await this.reserve(seat)));
        isMended = true;
      } catch (error) {
        for (const item of fresh) await this.release(item);
        return this.answer(error, take.map((id) => this.hall.ordinalOf(id)), '');
      }
      fresh.forEach((item, n) => {
        const type = old[n]?.typeId;
        if (this.typesFor(item).some(({ id }) => id === type)) this.items.find(({ holdId }) => holdId === item.holdId)!.typeId = type!;
      });
      for (const item of old) isMended &&= await this.release(item);
    });
    if (isMended) await go();
  }

  /** A checkout has its own time for what it gathers: mostly more than was left. */
  retime({ items, server_time_unix_ms: now }: Session): void {
    for (const item of this.items) {
      const until = items.find(({ hold_id }) => hold_id === item.holdId)?.held_until_unix_ms ?? item.until;
      if (until !== item.until) [item.since, item.until] = [now, until];
    }
    this.note();
  }

  // --- companions

  /** The companion seat that is reserved for me: of the first wheelchair space whose companion seats I do not hold. Or -1. */
  get companion(): number {
    const mine = new Set(this.items.map(({ seatId }) => seatId));
    const place = this.items.find(({ companions }) => companions.length && !companions.some((id) => mine.has(id)));
    return place ? this.hall.ordinalOf(place.companions[0]!) : -1;
  }

  get companionText(): string {
    const { companion } = this;
    if (companion < 0 || !this.hall.map) return '';
    const { row, number } = this.hall.map.describe(companion);
    return t.companionKept(row, number);
  }

  /** The message for a seat that was refused: only one that looked available was just taken by another buyer. */
  private loss(seat: number): string {
    const title = this.hall.title(seat);
    return this.hall.map?.states[seat] === AVAILABLE ? t.taken(title) : t.isTaken(title, this.hall.state(seat));
  }

  /** Handles a refusal: the basket stays, and alternatives are offered. */
  private async answer(error: unknown, seats: number[], lost: string): Promise<void> {
    if (this.refused(error)) return;
    if (!(error instanceof Problem)) return this.say(sentence(error), 'wrong');
    if (TOO_FEW.includes(error.code)) this.hasTooFew = true;
    if (!this.hall.hasMap || this.code) this.renew(); // the page shows an outdated number
    const rest = this.items.length ? ` ${t.restHeld}` : '';
    if (TAKEN.includes(error.code) && seats.length) {
      for (const item of this.items) item.companions = item.companions.filter((id) => !seats.includes(this.hall.ordinalOf(id)));
      await this.hall.refresh();
      this.say((lost || sentence(error)) + rest, 'wrong');
      return this.offerNearest(seats);
    }
    this.say(sentence(error) + rest, 'wrong');
    const other = error.more.alternative as string[] | null | undefined;
    if (error.code === 'orphan_seats' && other?.length) this.offerSeats(other.map((id) => this.hall.ordinalOf(id)));
    const largest = Number(error.more.largest);
    if (error.code === 'max_group_split') {
      const [quantity, accessible] = this.wished;
      this.instead = { text: t.farApart, press: t.chooseApart, take: () => this.best(quantity, accessible, true) };
    }
    if (error.code === 'group_adjacency_strict' && largest > 0)
      this.instead = { text: t.togetherLeft(largest), press: t.chooseTogether(largest), take: () => this.best(largest) };
  }

  private offerNearest(seats: number[]): void {
    const map = this.hall.map;
    if (!map) return;
    const free = seats.filter((seat) => map.states[seat] === AVAILABLE);
    const others = nearestFree(map, seats, seats.length - free.length);
    const all = [...free, ...others];
    if (!all.length) return;
    const text = all.length === 1 ? t.nearest(this.hall.title(all[0]!)) : t.nearestSome(all.length);
    this.instead = { text, press: all.length === 1 ? t.chooseSeat : t.chooseSeats, take: () => this.takeSeats(all) };
  }

  private offerSeats(seats: number[]): void {
    const text = t.insteadSeats(seats.map((seat) => this.hall.title(seat)).join('; '));
    this.instead = { text, press: seats.length === 1 ? t.chooseSeat : t.chooseSeats, take: () => this.takeSeats(seats) };
  }

  // --- removing, and losing

  giveBack(item: Item): Promise<void> {
    return this.alone(async () => {
      if (!(await this.release(item))) return;
      this.instead = null; // it was an alternative for the former choice
      this.say(t.removed(item.title));
    });
  }

  giveUnsoldBack(): Promise<void> {
    return this.alone(async () => {
      for (const item of this.unsold) if (!(await this.release(item))) return;
      this.say('');
    });
  }

  /** False if the server could not be reached. */
  private async release(item: Item): Promise<boolean> {
    try {
      await this.visitor.api.delete(`/api/holds/${item.holdId}`);
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) return this.say(sentence(error), 'wrong'), false;
    }
    this.drop([item]);
    return true;
  }

  /** Some holds have ended; the rest stays. The server says which; if it cannot be reached, the clock does. */
  async expire(): Promise<void> {
    let over: Item[];
    try {
      over = await this.find();
    } catch {
      over = this.items.filter(({ until }) => until !== null && until <= serverNow());
      this.drop(over);
    }
    if (over.length) this.lost = [...this.lost, ...over];
  }

  /** Holds again what was lost, as much as is still available. */
  takeAgain(): Promise<void> {
    return this.alone(() => this.again(this.lost));
  }

  private async again(before: Item[]): Promise<void> {
    await this.hall.refresh();
    const map = this.hall.map;
    const seats = before.filter(({ ordinal }) => ordinal >= 0).map(({ ordinal }) => ordinal);
    const free = seats.filter((seat) => map?.states[seat] === AVAILABLE);
    const places = before.filter(({ ordinal }) => ordinal < 0);
    const wishes: Wish[] = [
      ...free.map((seat) => ({ seat_id: this.hall.seatId(seat) })),
      ...places.map(({ zoneId, typeId, isOfType, quantity }) => placesOf(zoneId, quantity, zoneId && !isOfType ? undefined : typeId)),
    ];
    const gone = seats.filter((seat) => !free.includes(seat));
    const how = gone.map((seat) => this.loss(seat)).join(' ');
    this.lost = [];
    if (wishes.length) await this.ask({ items: wishes }, free);
    if (gone.length && !this.instead) {
      this.say(how, 'wrong');
      this.offerNearest(gone);
    }
  }

  clear(): void {
    this.items = [];
    this.instead = null;
    this.markMine();
    this.note();
  }

  /** The hold that ends first. */
  get first(): Span | null {
    return soonest(this.items.map(({ since, until }) => (until === null ? null : { since, until })));
  }

  // --- what it costs

  /** The ticket types that sell this item, dearest first. The chosen one stays when it is sold out: perhaps by this basket. */
  typesFor(item: Pick<Item, 'zone' | 'seatId'> & Partial<Pick<Item, 'typeId' | 'isOfType'>>): Offer[] {
    const seated = item.seatId !== null;
    if (!this.hall.hasMap || item.isOfType) return this.offers.filter(({ id }) => id === item.typeId); // what was held is of its type
    return this.offers
      .filter(({ id, status }) => status === 'on_sale' || id === item.typeId)
      .filter(({ kind, zones }) => (kind === 'seated') === seated && (!zones.length || zones.includes(item.zone)))
      .toSorted((a, b) => b.price.amount - a.price.amount);
  }

  /** The first ticket type of an item: one that the code unlocks, up to the limit per order; otherwise the dearest. */
  private firstFor(item: Parameters<Basket['typesFor']>[0], quantity = 1): Offer | undefined {
    const types = this.typesFor(item);
    const held = (id: string) => this.items.reduce((sum, one) => sum + (one.typeId === id ? one.quantity : 0), 0);
    return types.find(({ id, max_per_order }) => this.effect?.shown_type_ids.includes(id) && held(id) + quantity <= max_per_order) ?? types[0];
  }

  private typeFor(item: Item): string {
    return this.firstFor(item, item.quantity)?.id ?? '';
  }

  /** The types of a zone without seats, in the event's order, with those that are not on sale now. */
  typesIn(zone: string): Offer[] {
    return this.offers.filter(({ kind, zones }) => kind !== 'seated' && (!zones.length || zones.includes(zone)));
  }

  /** What a seat costs, by the types that sell its zone. */
  costOf(ordinal: number): string {
    const map = this.hall.map;
    if (!map || ordinal < 0) return '';
    const zone = map.geometry.zones[map.zoneOf(ordinal)]?.key ?? '';
    const offer = this.firstFor({ zone, seatId: '' });
    return offer ? money({ amount: unitPrice(offer, this.hall.categoryOf(ordinal, zone)), currency: offer.price.currency }) : '';
  }

  /** The price of a price category: of a seat that has it, or of a zone without seats. */
  costAt(price: number): string {
    const { geometry } = this.hall.map ?? {};
    const seat = geometry?.price.indexOf(price) ?? -1;
    if (seat >= 0) return this.costOf(seat);
    const area = geometry?.zones.find((zone) => zone.price === price);
    const offer = area && this.firstFor({ zone: area.key, seatId: null });
    return offer ? money({ amount: unitPrice(offer, geometry!.prices[price]![0]), currency: offer.price.currency }) : '';
  }

  /** The price of a spot in a zone without seats, as this ticket type. */
  priceAt(offer: Offer, zone: string): string {
    return money({ amount: unitPrice(offer, this.hall.categoryOf(-1, zone)), currency: offer.price.currency });
  }

  /** The least that one costs. */
  leastOf(zone: string): string {
    const priceOf = (offer: Offer) => unitPrice(offer, this.hall.categoryOf(-1, zone));
    const [least] = this.typesFor({ zone, seatId: null }).toSorted((a, b) => priceOf(a) - priceOf(b));
    return least ? this.priceAt(least, zone) : '';
  }

  /** The prices on the map, without those of zones that are closed for this event. */
  get tiers(): Tier[] {
    const prices = this.hall.map?.geometry.prices ?? [];
    const all = prices.map(([, name, color], n) => ({ n, name: lettered(tierLetter(n, prices.length), name), color: tierColor(color, n), cost: this.costAt(n) }));
    return all.filter(({ n, cost }) => cost || this.hall.left[n] || !this.areOffersKnown);
  }

  typeOf(item: Item): Offer | null {
    return this.offers.find(({ id }) => id === item.typeId) ?? null;
  }

  /** What it costs, or would as another type. */
  priceOf(item: Item, offer: Offer): Money {
    return { amount: unitPrice(offer, this.hall.categoryOf(item.ordinal, item.zone)) * item.quantity, currency: offer.price.currency };
  }

  /** What comes off the tickets and on top of them, and what all of it costs. */
  get bill(): { lines: QuotedLine[]; total: Money } | null {
    const [offer] = this.offers;
    if (!offer || !this.items.length) return null;
    const amountOf = (item: Item, type = this.typeOf(item)) => (type ? this.priceOf(item, type).amount : 0);
    const { lines, total } = bill(this.items.map((item) => ({ amount: amountOf(item), quantity: item.quantity, typeId: item.typeId })), offer.charges, this.effect);
    return { lines, total: { amount: total, currency: offer.price.currency } };
  }

  // --- lines

  private drop(items: Item[]): void {
    const gone = new Set(items.map(({ holdId }) => holdId));
    this.items = this.items.filter(({ holdId }) => !gone.has(holdId));
    this.markMine();
    this.note();
  }

  private put<T extends HeldLine>(lines: T[], time: (line: T) => [since: number, until: number | null]): Item[] {
    const known = new Set(this.items.map((item) => item.holdId));
    const fresh: Item[] = [];
    for (const line of lines.filter(({ hold_id }) => !known.has(hold_id))) {
      const item = this.itemOf(line, ...time(line)); // of which type, hangs on those before it
      fresh.push(item);
      this.items = [...this.items, item];
    }
    this.markMine();
    this.note();
    return fresh;
  }

  private itemOf(line: HeldLine, since: number, until: number | null): Item {
    const ordinal = this.hall.ordinalOf(line.seat_id ?? null);
    const zoneName = line.block_name ?? this.hall.zoneName(line.zone_id ?? null);
    const item: Item = {
      holdId: line.hold_id,
      seatId: line.seat_id ?? null,
      zoneId: line.zone_id ?? null,
      ordinal,
      zone: this.hall.zoneOf(ordinal, line.zone_id ?? null),
      title: line.seat_id ? (this.hall.map && ordinal >= 0 ? this.hall.title(ordinal) : t.seat(zoneName, line.row ?? '–', line.seat_number ?? '–')) : zoneName,
      quantity: line.quantity ?? 1,
      typeId: line.ticket_type_id ?? '',
      isOfType: Boolean(line.ticket_type_id),
      since,
      until,
      companions: idsOf(line),
    };
    item.typeId ||= this.typeFor(item);
    item.title ||= this.typeOf(item)?.name ?? t.ticket;
    return item;
  }

  /** What is known only once the map is there, and its zones: names of what was found before. */
  nameAgain(): void {
    for (const item of this.items) {
      item.ordinal = this.hall.ordinalOf(item.seatId);
      item.title = this.hall.title(item.ordinal) || item.title;
      item.zone = this.hall.zoneOf(item.ordinal, item.zoneId);
      if (!this.typesFor(item).some(({ id }) => id === item.typeId)) item.typeId = this.typeFor(item) || item.typeId;
    }
    this.showSold();
    this.markMine();
  }

  private markMine(): void {
    this.hall.map?.setMine(this.items.filter((item) => item.ordinal >= 0).map((item) => item.ordinal));
    this.hall.keep(this.companion < 0 ? [] : [this.companion]);
  }

  /** In local storage, since a sign-in link opens in another tab. */
  private note(): void {
    if (this.visitor.person || !this.items.length) return forget(GUESTS, 'local');
    const ends = this.items.map(({ until }) => until);
    const until = ends.some((end) => end === null) ? null : Math.max(...(ends as number[]));
    const memo: Memo = { event: this.eventId, until, titles: Object.fromEntries(this.items.map(({ holdId, title }) => [holdId, title])) };
    remember(GUESTS, JSON.stringify(memo), 'local');
  }
}

const placesOf = (zoneId: string | null, quantity: number, typeId?: string): Wish => ({ ...(zoneId && { zone_id: zoneId }), ...(typeId && { ticket_type_id: typeId }), quantity });

const idsOf = ({ companions = [] }: Pick<HeldLine, 'companions'>) => companions.map(({ seat_id }) => seat_id);

/** What the guest held here and the account does not; without holds that had ended by themselves. */
function missing(event: string, has: (hold: string) => boolean): string[] {
  try {
    const memo = JSON.parse(remembered(GUESTS, 'local') ?? 'null') as Memo | null;
    if (memo?.event !== event || (memo.until !== null && memo.until <= serverNow())) return [];
    return Object.entries(memo.titles).flatMap(([hold, title]) => (has(hold) ? [] : [title]));
  } catch {
    return [];
  }
}
