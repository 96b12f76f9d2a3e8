// A promo code, typed or in the link: it may unlock hidden ticket types, and is sent with each request of the visit.
// It stays for the visit, a reload too.

import { Problem } from '../lib/api';
import type { JoinQueue, PromoEffect } from '../lib/contract';
import { count, money } from '../lib/format';
import { forget, remember, remembered } from '../lib/remembered';
import { sentence, t } from '../lib/words';
import type { Basket } from './basket.svelte';
import type { Visitor } from './visitor.svelte';

const EVERY_MS = 2000; // everyone with a code reads its offers themselves: spread over this time
const CODE_MAX = 40;

export class Promo {
  typed = $state('');
  failure = $state(''); // of the last attempt, shown beside the field
  isBusy = $state(false);
  private readonly path: `/api/events/${string}`;
  private readonly key: string;
  private readonly joinKey: string; // what the waiting room is joined with (queue/main.ts)
  private asking: ReturnType<typeof setTimeout> | undefined;

  constructor(
    eventId: string,
    private readonly visitor: Visitor,
    private readonly basket: Basket,
    private readonly say: (message: string, mood?: 'calm' | 'wrong') => void,
  ) {
    this.path = `/api/events/${eventId}`;
    this.key = `fullhouse:code:${eventId}`;
    this.joinKey = `fullhouse:queue:${eventId}:join`;
    basket.renew = () => void this.load().catch(() => {});
  }

  close(): void {
    clearTimeout(this.asking);
  }

  /** The code of the link; or the one from before a reload, which was judged then: a use of it may be in my own checkout. */
  async begin(): Promise<void> {
    const linked = inLink();
    const kept = this.kept();
    if (linked && linked.toUpperCase() !== kept?.code) {
      await this.apply(linked);
      if (this.failure) this.say(this.failure, 'wrong'); // the field may be out of sight
    } else if (kept) await this.adopt(kept.code, kept);
  }

  /** Uses a code without validating it: reading its offers shows whether it is still valid. */
  async adopt(code: string, effect: PromoEffect | null = null): Promise<void> {
    Object.assign(this.basket, { code, effect });
    await this.load();
  }

  async apply(typed: string): Promise<void> {
    const code = (this.typed = typed.trim());
    this.failure = code ? '' : t.enterCode;
    if (!code || this.isBusy) return;
    this.isBusy = true;
    try {
      const query = `code=${encodeURIComponent(code)}`;
      const [effect, offers] = await Promise.all([this.visitor.api.get(`${this.path}/promo-code?${query}`), this.visitor.api.get(`${this.path}/offers?${query}`)]);
      this.basket.use(effect.code, effect, offers);
      remember(this.key, JSON.stringify(effect));
      remember(this.joinKey, JSON.stringify({ promo_code: effect.code } satisfies JoinQueue));
      this.typed = '';
      this.say(''); // the message stands where the field was
    } catch (error) {
      this.failure = sentence(error);
    } finally {
      this.isBusy = false;
    }
  }

  remove(why = ''): void {
    const { basket } = this;
    const shown = basket.effect?.shown_type_ids ?? [];
    this.forget();
    basket.use('', null, basket.offers.filter(({ id }) => !shown.includes(id)));
    basket.renew(); // what an adopted code unlocks was not known
    this.say(why || t.codeRemoved, why ? 'wrong' : 'calm');
  }

  forget(): void {
    forget(this.key);
    forget(this.joinKey);
  }

  /** If a request was refused because of the code, removes the code and shows why. */
  lapse(error: unknown): boolean {
    if (!this.basket.code || !(error instanceof Problem) || !error.code.startsWith('promo_code')) return false;
    this.remove(sentence(error));
    return true;
  }

  /** What is offered has changed. */
  askSoon(): void {
    this.asking ??= setTimeout(() => {
      this.asking = undefined;
      this.basket.renew();
    }, EVERY_MS * (0.5 + Math.random()));
  }

  private async load(): Promise<void> {
    try {
      await this.basket.loadOffers();
    } catch (error) {
      if (!this.lapse(error)) throw error;
    }
  }

  /** What it does, in a sentence or two. */
  get does(): string {
    const { effect, offers } = this.basket;
    if (!effect) return '';
    const names = (ids: string[]) => offers.filter(({ id }) => ids.includes(id)).map(({ name }) => name).join(', ');
    const { basis_points: points, amount, ticket_type_ids: ids, shown_type_ids: shown } = effect;
    const off = points ? `${count(points / 100)}%` : amount && offers[0] ? money({ amount, currency: offers[0].price.currency }) : '';
    const some = names(ids);
    return [shown.length && names(shown) ? t.codeUnlocks(names(shown)) : '', off && (some ? t.codeOffOf(off, some) : t.codeOff(off))].filter(Boolean).join(' ');
  }

  private kept(): PromoEffect | null {
    try {
      return JSON.parse(remembered(this.key) ?? 'null');
    } catch {
      return null;
    }
  }
}

/** Removes the code from the address, so that a reload does not bring back a code that was removed. */
function inLink(): string {
  const here = new URL(location.href);
  const code = here.searchParams.get('code');
  if (code === null) return '';
  here.searchParams.delete('code');
  history.replaceState(history.state, '', here);
  return code.trim().slice(0, CODE_MAX);
}
