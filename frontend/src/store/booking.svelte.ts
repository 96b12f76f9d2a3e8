// A visit to an event's shop, from the first look to the tickets. The server decides everything; this knows how far
// we are, and holds the parts together: who buys, the hall, the basket, the checkout, the waitlist.

import { Problem } from '../lib/api';
import { serverNow } from '../lib/clock.svelte';
import { messageOf, sentence, t } from '../lib/words';
import type { SeatMap } from '../lib/map/seatmap';
import { Basket } from './basket.svelte';
import { Checkout } from './checkout.svelte';
import { Hall } from './hall.svelte';
import { Late } from './late.svelte';
import type { Offer } from './model';
import { Promo } from './promo.svelte';
import { Visitor } from './visitor.svelte';
import { Waitlist } from './waitlist.svelte';

type Step = 'choosing' | 'paying' | 'done';

export interface Place {
  eventId: string;
  organization: string;
  house: string;
  layout: string; // of its seats; empty where there are none
  path: string; // of the event's own page
  embedded: boolean;
  scripts: string[]; // of the checkout, which is loaded later
  most: { seats: number; chairs: number }; // in one booking
}

const noMore = () => {};

export class Booking {
  readonly visitor: Visitor;
  readonly hall: Hall;
  readonly basket: Basket;
  readonly promo: Promo;
  readonly checkout: Checkout;
  readonly till: Late<typeof import('../checkout/main')>;
  readonly waitlist: Waitlist;
  step: Step = $state('choosing');
  message = $state('');
  mood: 'calm' | 'wrong' = $state('calm');
  isOpen = $state(false);
  isInLine = $state(false); // must join the queue; only in a frame, which has no waiting room of its own
  loaded: Promise<void> = Promise.resolve(); // settles when the first load has succeeded or failed
  private isEnding = false;

  constructor(readonly place: Place) {
    this.visitor = new Visitor(place.organization, place.house, place.embedded);
    this.hall = new Hall(this.visitor.api, place.eventId, place.layout);
    const say = (message: string, mood: 'calm' | 'wrong' = 'calm') => this.tell(message, mood);
    this.basket = new Basket(place.eventId, this.visitor, this.hall, say, (error) => this.mustWait(error));
    this.promo = new Promo(place.eventId, this.visitor, this.basket, say);
    this.checkout = new Checkout(place.eventId, this.visitor);
    this.till = new Late(place.scripts);
    this.waitlist = new Waitlist(place.eventId, this.visitor, this.hall, this.basket);
  }

  async open(): Promise<void> {
    this.tell('');
    try {
      const loading = Promise.all([this.basket.loadOffers(''), this.promo.begin(), this.hall.load(this.offered)]);
      this.loaded = loading.then(noMore, noMore);
      await loading;
      await this.findAgain();
      this.isOpen = true;
    } catch (error) {
      this.tell(sentence(error), 'wrong');
    }
  }

  ready(map: SeatMap): void {
    void this.hall.ready(map).then(() => this.basket.nameAgain());
    this.basket.nameAgain();
  }

  private readonly offered = (offers?: Offer[]): void => {
    if (this.basket.code) this.promo.askSoon(); // the stream leaves out ticket types that only a code unlocks
    else if (offers) this.basket.hearOffers(offers);
    else this.basket.renew();
  };

  close(): void {
    this.hall.close();
    this.basket.close();
    this.promo.close();
  }

  /** Finds what I held or was about to buy before the page was closed or the connection was lost. */
  private async findAgain(): Promise<void> {
    if (!this.visitor.mayBeBack) return;
    try {
      if (!(await this.visitor.recognise())) return;
      await this.basket.find();
      await this.waitlist.find();
      if (this.basket.behind.length) this.tell(t.overLimit(this.basket.behind.join('; ')), 'wrong');
      if (!(await this.checkout.find())) return;
      const { promo_code: code } = this.checkout.session!;
      if (code && !this.basket.code) await this.promo.adopt(code);
      this.pay();
      this.tell(t.welcomeBack);
    } catch (error) {
      if (!(error instanceof Problem) || ![401, 403, 404].includes(error.status)) throw error;
    }
  }

  async begin(): Promise<void> {
    void this.till.load();
    await this.attempt(async () => {
      try {
        if (!(await this.checkout.begin(this.basket.items, this.basket.code))) return this.wait();
        this.basket.retime(this.checkout.session!);
        this.pay();
      } catch (error) {
        if (!this.promo.lapse(error) && !this.basket.offerFixes(error, () => this.begin())) throw error;
      }
    });
  }

  private pay(): void {
    this.step = 'paying';
    void this.till.load();
  }

  /** After an outage: what I held or was about to buy may be over. */
  async comeBack(): Promise<void> {
    if (!this.basket.items.length || this.checkout.order) return;
    try {
      await this.expire(this.step === 'paying' && !(await this.checkout.find()));
    } catch {
      // no response: the clock decides when it is over
    }
  }

  /** Runs an action, and shows the error if it fails. */
  async attempt(deed: () => Promise<void>): Promise<void> {
    try {
      this.tell('');
      await deed();
    } catch (error) {
      if (!this.mustWait(error)) this.tell(sentence(error), 'wrong');
    }
  }

  /** The time of a hold or of the checkout has run out: back to choosing. What is still held stays, and what ended can be
   * tried for again. */
  async expire(isRefused = false): Promise<void> {
    if (this.isEnding) return;
    this.isEnding = true;
    const before = this.basket.lost;
    await this.basket.expire();
    this.isEnding = false;
    const isLate = (this.checkout.time?.until ?? Infinity) <= serverNow();
    if (this.basket.lost === before && !isLate && !isRefused) return; // the clock was wrong, or there is more time now
    const wasPaying = this.step === 'paying';
    this.checkout.end();
    this.step = 'choosing';
    this.tell(wasPaying && this.basket.items.length ? messageOf('checkout_expired') : '');
  }

  async leave(): Promise<void> {
    await this.attempt(async () => {
      await this.checkout.leave();
      this.basket.clear();
      this.step = 'choosing';
      this.tell(t.leftCheckout);
    });
  }

  /** To one's account and back. What a guest holds comes along, and the checkout with it. */
  signIn(): void {
    const { organization: at, path: next } = this.place;
    location.assign(`/sign-in?${new URLSearchParams({ at, next })}`);
  }

  private mustWait(error: unknown): boolean {
    if (!(error instanceof Problem) || error.code !== 'admission_required') return false;
    this.wait();
    return true;
  }

  private wait(): void {
    if (this.place.embedded) this.isInLine = true;
    else location.assign(`${this.place.path}/queue`);
  }

  tell(message: string, mood: 'calm' | 'wrong' = 'calm'): void {
    this.message = message;
    this.mood = mood;
  }
}
