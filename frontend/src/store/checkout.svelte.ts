// About to buy: the checkout and its order. The money is another matter, and loaded later (checkout/payment.svelte.ts).

import { Problem } from '../lib/api';
import { hear } from '../lib/clock.svelte';
import type { Span } from './marks';
import type { Item, Order, Session } from './model';
import type { Visitor } from './visitor.svelte';

const SESSION_MS = 600_000; // as in checkout/policy.py

export class Checkout {
  session: Session | null = $state.raw(null);
  order: Order | null = $state.raw(null);
  isBusy = $state(false);

  constructor(
    private readonly eventId: string,
    private readonly visitor: Visitor,
  ) {}

  /** False if the buyer must join the queue first. */
  async begin(items: Item[], promo: string): Promise<boolean> {
    this.isBusy = true;
    try {
      const wished = items.map((item) => ({ hold_id: item.holdId, ticket_type_id: item.typeId }));
      const begun = await this.visitor.api.post(`/api/events/${this.eventId}/checkout`, { items: wished, promo_code: promo || null });
      if (!('id' in begun)) return false;
      this.take(begun);
      return true;
    } finally {
      this.isBusy = false;
    }
  }

  /** Finds a checkout from before the connection was lost; with its order, if there is one. */
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
  }

  async leave(): Promise<void> {
    if (this.session) await this.visitor.api.delete(`/api/checkout/${this.session.id}`);
    this.end();
  }

  end(): void {
    this.session = null;
    this.order = null;
  }

  /** Its own time, beside that of the holds. */
  get time(): Span | null {
    const until = this.session?.expires_at_unix_ms;
    return until === undefined ? null : { since: until - SESSION_MS, until };
  }

  /** Whether an order waits for its payment. Its holds are frozen meanwhile. */
  get isPending(): boolean {
    return this.order?.status === 'pending';
  }
}
