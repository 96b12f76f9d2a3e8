// What a visit does after each outcome of a payment.

import { later as t } from '../lib/words';
import type { Booking } from '../store/booking.svelte';
import type { WayToPay } from '../store/model';
import type { Buyer } from './card';
import * as draft from './draft';
import { type Outcome, Payment } from './payment.svelte';

export class Paying {
  readonly payment: Payment;

  constructor(private readonly booking: Booking) {
    this.payment = new Payment(booking.checkout, booking.visitor);
  }

  /** A buyer who returns from their bank, or to a pending order, need not press anything: the order is followed at once. */
  begin(): void {
    const { checkout } = this.booking;
    if (checkout.isPending && (cameBack() || !checkout.order?.payment.client_secret)) void this.follow();
  }

  async pay(way: WayToPay, method: string | null, buyer: Buyer): Promise<void> {
    const back = `${location.origin}${location.pathname}`;
    this.settle(await this.payment.pay(way, method, buyer, back));
  }

  follow(): Promise<void> {
    return this.booking.attempt(async () => this.settle(await this.payment.follow()));
  }

  consent(accept: boolean): Promise<void> {
    return this.booking.attempt(async () => this.settle(await this.payment.consent(accept)));
  }

  private settle(outcome: Outcome): void {
    const { booking } = this;
    if (outcome === 'bought') {
      booking.step = 'done';
      draft.drop();
      booking.promo.forget();
      booking.basket.clear();
      booking.tell('');
    } else if (outcome === 'over') void booking.expire(true);
    else if (outcome === 'consent') void booking.basket.find();
    else if (outcome === 'refunded' || outcome === 'cancelled') {
      booking.checkout.end();
      booking.basket.clear();
      booking.step = 'choosing';
      booking.tell(outcome === 'refunded' ? t.orderRefunded : t.orderCancelled);
    } else booking.tell('');
  }
}

/** Whether the buyer returns from a payment at their bank: Stripe says so in the address, once. */
function cameBack(): boolean {
  const said = new URLSearchParams(location.search).get('redirect_status');
  if (said) history.replaceState(null, '', location.pathname);
  return said !== null && said !== 'failed';
}
