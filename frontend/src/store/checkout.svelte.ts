// About to buy: the checkout, its order, and the money. Whatever fails leaves seats, name and address as they are.

import { newKey, Problem } from '../lib/api';
import { hear } from '../lib/clock.svelte';
import { sentence, t } from '../lib/words';
import type { Buyer, Card } from './card';
import type { Span } from './marks';
import type { Item, Order, Session, WayToPay } from './model';
import type { Visitor } from './visitor.svelte';

export type Outcome = 'bought' | 'open' | 'declined' | 'over' | 'consent' | 'refunded' | 'cancelled';
const OVER = ['hold_expired', 'checkout_expired', 'checkout_not_found'];
const NOT_PAID = ['failed', 'abandoned']; // whose places have their time back, and wait for another try
const LOOKS = 40;
const LOOK_MS = 1500;
const SESSION_MS = 600_000; // as in checkout/policy.py

export class Checkout {
  session: Session | null = $state.raw(null);
  order: Order | null = $state.raw(null);
  failure = $state(''); // of the last try to pay, to be said beside it
  isBusy = $state(false);
  isWaiting = $state(false); // for the money to be confirmed
  card: Card | null = null;
  private key = '';

  constructor(
    private readonly eventId: string,
    private readonly visitor: Visitor,
  ) {}

  /** False if there is a line first. */
  async begin(items: Item[], promo: string): Promise<boolean> {
    this.isBusy = true;
    try {
      const wished = items.map((item) => ({ hold_id: item.holdId, ticket_type_id: item.typeId }));
      const begun = await this.visitor.api.post(`/api/events/${this.eventId}/checkout`, { items: wished, promo_code: promo.trim() || null });
      if (!('id' in begun)) return false;
      this.take(begun);
      this.key = newKey();
      return true;
    } finally {
      this.isBusy = false;
    }
  }

  /** What was begun before the line went dead; with its order, if it came so far. */
  async find(): Promise<boolean> {
    try {
      this.take(await this.visitor.api.get(`/api/events/${this.eventId}/checkout`));
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return false;
      throw error;
    }
    if (this.session?.order_id) this.order = await this.visitor.api.get(`/api/orders/${this.session.order_id}`);
    return true;
  }

  private take(session: Session): void {
    hear(session.server_time_unix_ms);
    this.session = session;
    this.order = null;
    this.failure = '';
  }

  async leave(): Promise<void> {
    if (this.session) await this.visitor.api.delete(`/api/checkout/${this.session.id}`);
    this.end();
  }

  end(): void {
    this.session = null;
    this.order = null;
    this.failure = '';
  }

  /** Its own time, beside that of the holds. */
  get time(): Span | null {
    const until = this.session?.expires_at_unix_ms;
    return until === undefined ? null : { since: until - SESSION_MS, until };
  }

  /** Whether an order waits for its money. Its places do not count down meanwhile. */
  get isPending(): boolean {
    return this.order?.status === 'pending';
  }

  async pay(way: WayToPay, method: string | null, buyer: Buyer, back: string): Promise<Outcome> {
    if (!this.session || this.isBusy) return 'open';
    this.isBusy = true;
    this.failure = '';
    try {
      const wrong = way.provider === 'stripe' ? ((await this.card?.check()) ?? (this.card ? null : t.cardLoading)) : null;
      if (wrong !== null) return this.fail(wrong);
      if (!this.isPending) await this.purchase(way, method, buyer);
      const secret = this.order?.payment.client_secret;
      if (this.isPending && secret && this.card) {
        const refused = await this.card.pay(secret, buyer, back);
        if (refused !== null) return this.decline(refused); // the order waits: the next try pays the same one
      }
      return await this.follow();
    } catch (error) {
      return this.answer(error);
    } finally {
      this.isBusy = false;
    }
  }

  private async purchase(way: WayToPay, method: string | null, buyer: Buyer): Promise<void> {
    const body = { provider: way.provider, buyer, ...(method ? { method } : {}) };
    this.key ||= newKey();
    this.order = await this.visitor.api.post(`/api/checkout/${this.session!.id}/purchase`, body, { key: this.key });
  }

  /** Until the money is there, or for a minute. */
  async follow(): Promise<Outcome> {
    this.isWaiting = true;
    try {
      for (let looks = 0; this.isPending && looks < LOOKS; looks++) {
        await new Promise((go) => setTimeout(go, LOOK_MS));
        const secret = this.order!.secret;
        const seen = await this.visitor.api.get(`/api/orders/${this.order!.id}`);
        this.order = { ...seen, secret: seen.secret ?? secret };
      }
    } finally {
      this.isWaiting = false;
    }
    return this.outcome();
  }

  private outcome(): Outcome {
    const { status, payment } = this.order!;
    if (status === 'paid') return 'bought';
    if (status === 'needs_consent') return 'consent';
    if (status === 'pending') {
      this.failure = t.notSettled;
      return 'open';
    }
    // Called off by the house, not by the bank: nothing of it is theirs any more.
    if (payment.status === 'captured') return 'refunded';
    if (!payment.failure && !NOT_PAID.includes(payment.status)) return 'cancelled';
    const failure = payment.failure && sentence(new Problem(402, 'payment_declined', payment.failure, [], { failure_code: payment.failure_code }));
    this.order = null; // the places are in the basket as before, and another try is another order
    this.key = newKey();
    return this.decline(failure);
  }

  /** The places were gone when the money came: others, or the money back. */
  async consent(accept: boolean): Promise<Outcome> {
    this.order = await this.visitor.api.post(`/api/orders/${this.order!.id}/consent`, { accept });
    return this.order.status === 'paid' ? 'bought' : 'refunded';
  }

  private fail(why: string): Outcome {
    this.failure = why || t.declined;
    return 'declined';
  }

  /** Whoever was refused by their bank should not fear for their places, too. */
  private decline(why: string | null): Outcome {
    return this.fail(`${why || t.declined} ${t.stillYours}`);
  }

  private answer(error: unknown): Outcome {
    if (error instanceof Problem) {
      this.key = newKey(); // what was refused is not the same purchase again
      if (OVER.includes(error.code)) return 'over';
      if (error.status === 402) return this.decline(sentence(error));
    }
    return this.fail(sentence(error)); // no answer: the same key asks again
  }
}
