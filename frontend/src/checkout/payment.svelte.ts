// The payment. If it fails, seats, name and email address stay.

import { newKey, Problem } from '../lib/api';
import { later as t, sentence } from '../lib/words';
import type { Checkout } from '../store/checkout.svelte';
import type { WayToPay } from '../store/model';
import type { Visitor } from '../store/visitor.svelte';
import type { Buyer, Card } from './card';

export type Outcome = 'bought' | 'open' | 'declined' | 'over' | 'consent' | 'refunded' | 'cancelled';
const OVER = ['hold_expired', 'checkout_expired', 'checkout_not_found'];
const NOT_PAID = ['failed', 'abandoned']; // the holds are thawed and wait for another attempt
const LOOKS = 40;
const LOOK_MS = 1500;

export class Payment {
  failure = $state(''); // of the last attempt to pay, shown beside it
  isWaiting = $state(false); // for the payment to be confirmed
  card: Card | null = null;
  private key = '';

  constructor(
    private readonly checkout: Checkout,
    private readonly visitor: Visitor,
  ) {}

  async pay(way: WayToPay, method: string | null, buyer: Buyer, back: string): Promise<Outcome> {
    const { checkout } = this;
    if (!checkout.session || checkout.isBusy) return 'open';
    checkout.isBusy = true;
    this.failure = '';
    try {
      const wrong = way.provider === 'stripe' ? ((await this.card?.check()) ?? (this.card ? null : t.cardLoading)) : null;
      if (wrong !== null) return this.fail(wrong);
      if (!checkout.isPending) await this.purchase(way, method, buyer);
      const secret = checkout.order?.payment.client_secret;
      if (checkout.isPending && secret && this.card) {
        const refused = await this.card.pay(secret, buyer, back);
        if (refused !== null) return this.decline(refused); // the order waits: the next try pays the same one
      }
      return await this.follow();
    } catch (error) {
      return this.answer(error);
    } finally {
      checkout.isBusy = false;
    }
  }

  private async purchase(way: WayToPay, method: string | null, buyer: Buyer): Promise<void> {
    const body = { provider: way.provider, buyer, ...(method ? { method } : {}) };
    this.key ||= newKey();
    this.checkout.order = await this.visitor.api.post(`/api/checkout/${this.checkout.session!.id}/purchase`, body, { key: this.key });
  }

  /** Polls the order until it is settled, at most for a minute. */
  async follow(): Promise<Outcome> {
    const { checkout } = this;
    this.isWaiting = true;
    try {
      for (let looks = 0; checkout.isPending && looks < LOOKS; looks++) {
        await new Promise((go) => setTimeout(go, LOOK_MS));
        const secret = checkout.order!.secret;
        const seen = await this.visitor.api.get(`/api/orders/${checkout.order!.id}`);
        checkout.order = { ...seen, secret: seen.secret ?? secret };
      }
    } finally {
      this.isWaiting = false;
    }
    return this.outcome();
  }

  private outcome(): Outcome {
    const { status, payment } = this.checkout.order!;
    if (status === 'paid') return 'bought';
    if (status === 'needs_consent') return 'consent';
    if (status === 'pending') {
      this.failure = t.notConfirmed;
      return 'open';
    }
    // Cancelled by the organiser, not declined by the bank: the buyer holds nothing of it any more.
    if (payment.status === 'captured') return 'refunded';
    if (!payment.failure && !NOT_PAID.includes(payment.status)) return 'cancelled';
    const failure = payment.failure && sentence(new Problem(402, 'payment_declined', payment.failure, [], { failure_code: payment.failure_code }));
    this.checkout.order = null; // the holds are in the basket as before, and another attempt is another order
    this.key = newKey();
    return this.decline(failure);
  }

  /** The seats were gone when the payment succeeded: the buyer accepts others, or is refunded. */
  async consent(accept: boolean): Promise<Outcome> {
    const order = (this.checkout.order = await this.visitor.api.post(`/api/orders/${this.checkout.order!.id}/consent`, { accept }));
    return order.status === 'paid' ? 'bought' : 'refunded';
  }

  private fail(why: string): Outcome {
    this.failure = why || t.declined;
    return 'declined';
  }

  /** A declined payment: the message also says that the tickets are still held. */
  private decline(why: string | null): Outcome {
    return this.fail(`${why || t.declined} ${t.stillHeld}`);
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
