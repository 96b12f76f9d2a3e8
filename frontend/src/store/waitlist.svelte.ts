// Nothing is left, or not enough together: a name on the list, in the order of asking.

import { newKey, Problem } from '../lib/api';
import type { WaitlistEntry } from '../lib/contract';
import type { Basket } from './basket.svelte';
import type { Hall } from './hall.svelte';
import type { Visitor } from './visitor.svelte';

export class Waitlist {
  mine: WaitlistEntry | null = $state.raw(null);
  isBusy = $state(false);
  private readonly path: `/api/events/${string}/waitlist`;

  constructor(
    eventId: string,
    private readonly visitor: Visitor,
    private readonly hall: Hall,
    private readonly basket: Basket,
  ) {
    this.path = `/api/events/${eventId}/waitlist`;
  }

  /** Whether there is nothing to choose from. */
  get isSoldOut(): boolean {
    if (this.basket.items.length) return false;
    if (this.hall.hasMap) return this.hall.zones.length > 0 && this.hall.zones.every(({ available }) => available === 0);
    return this.basket.offers.length > 0 && this.basket.offers.every(({ status }) => status === 'sold_out');
  }

  /** Whether to speak of it at all. */
  get isOpen(): boolean {
    return this.isSoldOut || this.basket.hasTooFew || this.mine?.status === 'waiting';
  }

  async find(): Promise<void> {
    try {
      this.mine = await this.visitor.api.get(this.path);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) throw error;
    }
  }

  join(party: number, email: string): Promise<void> {
    return this.alone(async () => {
      await this.visitor.signIn();
      this.mine = await this.visitor.api.post(this.path, { party, email }, { key: newKey() });
    });
  }

  leave(): Promise<void> {
    return this.alone(async () => {
      await this.visitor.api.delete(this.path);
      this.mine = null;
    });
  }

  private async alone(deed: () => Promise<void>): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      await deed();
    } finally {
      this.isBusy = false;
    }
  }
}
