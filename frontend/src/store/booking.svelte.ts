// A visit to a show's box office, from the first look to the tickets. The server decides everything; this knows how far
// we are, and holds the parts together: who buys, the hall, the basket, the checkout, the waiting list.

import { Problem } from '../lib/api';
import { serverNow } from '../lib/clock.svelte';
import { sentence, t, told } from '../lib/words';
import type { SeatMap } from '../lib/map/seatmap';
import { Basket } from './basket.svelte';
import { Checkout, type Outcome } from './checkout.svelte';
import * as draft from './draft';
import { Hall } from './hall.svelte';
import type { Offer, WayToPay } from './model';
import { Visitor } from './visitor.svelte';
import { Waitlist } from './waitlist.svelte';

type Step = 'choosing' | 'paying' | 'done';

export interface Place {
  eventId: string;
  organization: string;
  house: string;
  layout: string; // of its seats; empty where there are none
  path: string; // of the show's own page
  embedded: boolean;
}

const noMore = () => {};

export class Booking {
  readonly visitor: Visitor;
  readonly hall: Hall;
  readonly basket: Basket;
  readonly checkout: Checkout;
  readonly waitlist: Waitlist;
  step: Step = $state('choosing');
  message = $state('');
  mood: 'calm' | 'wrong' = $state('calm');
  isOpen = $state(false);
  isInLine = $state(false); // of a frame, which has no waiting room of its own
  loaded: Promise<void> = Promise.resolve(); // or refused: what there is to show is known
  private isEnding = false;

  constructor(readonly place: Place) {
    this.visitor = new Visitor(place.organization, place.house, place.embedded);
    this.hall = new Hall(this.visitor.api, place.eventId, place.layout);
    const say = (message: string, mood: 'calm' | 'wrong' = 'calm') => this.tell(message, mood);
    this.basket = new Basket(place.eventId, this.visitor, this.hall, say, (error) => this.mustWait(error));
    this.checkout = new Checkout(place.eventId, this.visitor);
    this.waitlist = new Waitlist(place.eventId, this.visitor, this.hall, this.basket);
  }

  async open(): Promise<void> {
    this.tell('');
    try {
      const loading = Promise.all([this.basket.loadOffers(), this.hall.load(this.offered)]);
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
    if (offers) this.basket.hearOffers(offers);
    else void this.basket.loadOffers().catch(() => {}); // the next news brings them
  };

  close(): void {
    this.hall.close();
    this.basket.close();
  }

  /** What I held or was about to buy before the page was closed, or the line went dead. */
  private async findAgain(): Promise<void> {
    if (!this.visitor.mayBeBack) return;
    try {
      if (!(await this.visitor.recognise())) return;
      await this.basket.find();
      await this.waitlist.find();
      if (this.basket.behind.length) this.tell(t.leftBehind(this.basket.behind.join('; ')), 'wrong');
      if (!(await this.checkout.find())) return;
      this.step = 'paying';
      this.tell(t.welcomeBack);
      if (this.checkout.isPending && (this.cameBack() || !this.checkout.order?.payment.client_secret)) void this.follow();
    } catch (error) {
      if (!(error instanceof Problem) || ![401, 403, 404].includes(error.status)) throw error;
    }
  }

  /** Whether somebody was at their bank and has paid there: Stripe says so in the address, once. */
  private cameBack(): boolean {
    const said = new URLSearchParams(location.search).get('redirect_status');
    if (said) history.replaceState(null, '', location.pathname);
    return said !== null && said !== 'failed';
  }

  async begin(promo: string): Promise<void> {
    await this.attempt(async () => {
      try {
        if (await this.checkout.begin(this.basket.items, promo)) this.step = 'paying';
        else this.wait();
      } catch (error) {
        if (!this.basket.offerFixes(error, () => this.begin(promo))) throw error;
      }
    });
  }

  /** After an outage: what I held or was about to buy may be over. */
  async comeBack(): Promise<void> {
    if (!this.basket.items.length || this.checkout.order) return;
    try {
      await this.expire(this.step === 'paying' && !(await this.checkout.find()));
    } catch {
      // no answer: the clock says when it is over
    }
  }

  async pay(way: WayToPay, method: string | null, name: string, email: string): Promise<void> {
    const back = `${location.origin}${location.pathname}`;
    this.settle(await this.checkout.pay(way, method, { name, email }, back));
  }

  async follow(): Promise<void> {
    await this.attempt(async () => this.settle(await this.checkout.follow()));
  }

  async consent(accept: boolean): Promise<void> {
    await this.attempt(async () => this.settle(await this.checkout.consent(accept)));
  }

  /** Does it, and says so if it was refused. */
  async attempt(deed: () => Promise<void>): Promise<void> {
    try {
      this.tell('');
      await deed();
    } catch (error) {
      if (!this.mustWait(error)) this.tell(sentence(error), 'wrong');
    }
  }

  private settle(outcome: Outcome): void {
    if (outcome === 'bought') {
      this.step = 'done';
      draft.drop();
      this.basket.clear();
      this.tell('');
    } else if (outcome === 'over') void this.expire(true);
    else if (outcome === 'consent') void this.basket.find();
    else if (outcome === 'refunded' || outcome === 'cancelled') {
      this.checkout.end();
      this.basket.clear();
      this.step = 'choosing';
      this.tell(outcome === 'refunded' ? t.paidBack : t.orderCancelled);
    } else this.tell('');
  }

  /** Time is over for a place or for the checkout: back to the seats. What is still held stays, and what ended can be
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
    this.tell(wasPaying && this.basket.items.length ? told('checkout_expired') : '');
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

  private tell(message: string, mood: 'calm' | 'wrong' = 'calm'): void {
    this.message = message;
    this.mood = mood;
  }
}
