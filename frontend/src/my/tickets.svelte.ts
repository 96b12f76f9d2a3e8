// My own tickets: by state, one alone, transferred, emailed again; and saved on the device for when there is no connection.

import { Api, Problem } from '../lib/api';
import type { Me, OpenSession, TicketMove, tickets_model_TicketView, Transfer } from '../lib/contract';

export type Ticket = tickets_model_TicketView;
export type Recipient = Transfer;

export type State = 'upcoming' | 'past' | 'transferred' | 'refunded';
const CACHE = 'fullhouse-tickets-1'; // as in tickets-sw.js
const WHO = 'fullhouse:who';

export class MyTickets {
  readonly api: Api;
  phase: 'loading' | 'in' | 'out' | 'broken' = $state('loading');
  me: Me | null = $state.raw(null);
  list: Ticket[] = $state.raw([]);
  one: Ticket | null = $state.raw(null);
  state: State = $state('upcoming');
  next: string | null = $state(null);
  isKept = $state(false);
  isReading = $state(false);
  hasFailed = $state(false); // to read the list
  houses: OpenSession[] = $state.raw([]);
  moves: TicketMove[] = $state.raw([]); // that wait for an answer

  constructor(
    private readonly house: string | null,
    readonly oneId: string | null,
  ) {
    this.api = new Api(house);
  }

  async open(): Promise<void> {
    this.phase = 'loading';
    try {
      this.me = await this.api.get('/api/me');
      if (this.me.email) localStorage.setItem(WHO, JSON.stringify({ name: this.me.name, at: this.me.organization.slug }));
      if (this.oneId) await this.find(this.oneId);
      else await this.load();
      this.phase = 'in';
      void this.look();
      void this.keep();
    } catch (error) {
      this.phase = error instanceof Problem && error.status === 401 ? 'out' : 'broken';
    }
  }

  /** Grouped by event, in the server's order: of upcoming events the soonest first. */
  get shows(): Ticket[][] {
    const found = new Map<string, Ticket[]>();
    for (const ticket of this.list) found.set(ticket.event_id, [...(found.get(ticket.event_id) ?? []), ticket]);
    return [...found.values()];
  }

  async show(state: State): Promise<void> {
    this.state = state;
    this.list = [];
    this.next = null;
    await this.load();
  }

  async load(more = false): Promise<void> {
    const cursor = more && this.next ? `&cursor=${encodeURIComponent(this.next)}` : '';
    const state = this.state;
    this.isReading = true;
    this.hasFailed = false;
    try {
      const page = await this.api.page(`/api/me/tickets?group=${state}${cursor}`);
      if (state !== this.state) return; // another was chosen meanwhile
      this.list = more ? [...this.list, ...page.data] : page.data;
      this.next = page.next_cursor;
      this.isReading = false;
    } catch (error) {
      if (state !== this.state) return;
      this.isReading = false;
      this.hasFailed = true;
      throw error;
    }
  }

  /** Reads the organisations that this browser is signed in to, and moves that wait for an answer. */
  private async look(): Promise<void> {
    const away = () => []; // without a connection the tickets are what counts
    this.moves = await this.api.get('/api/me/moves').catch(away);
    this.houses = await this.api.get('/api/auth/sessions').catch(away);
  }

  moveOf(ticket: Ticket): TicketMove | null {
    return this.moves.find(({ ticket_id }) => ticket_id === ticket.id) ?? null;
  }

  /** Accepts the new seat, or asks for a refund. */
  async answerMove(ticket: Ticket, accept: boolean): Promise<void> {
    await this.api.post(`/api/tickets/${ticket.id}/move`, { accept });
    this.moves = this.moves.filter(({ ticket_id }) => ticket_id !== ticket.id);
    await this.readAgain(ticket);
  }

  private async find(id: string): Promise<void> {
    try {
      this.one = await this.api.get(`/api/tickets/${id}`);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) throw error;
      this.one = null;
    }
  }

  async passOn(ticket: Ticket, to: Recipient): Promise<void> {
    await this.api.post(`/api/tickets/${ticket.id}/transfer`, to);
  }

  /** After it was transferred or refunded. */
  async readAgain(ticket: Ticket): Promise<void> {
    await forget((path) => path.includes(ticket.id)); // its code opens nothing any more
    if (this.oneId) await this.find(this.oneId);
    else await this.load();
  }

  async mailAgain(ticket: Ticket): Promise<void> {
    await this.api.post(`/api/orders/${ticket.order_id}/resend`);
  }

  async setPassword(current: string, fresh: string): Promise<void> {
    await this.api.put('/api/me/password', { new_password: fresh, ...(current ? { current_password: current } : {}) });
  }

  async signOut(): Promise<void> {
    await this.api.post('/api/auth/logout').catch((error) => {
      if (!(error instanceof Problem) || error.status !== 401) throw error;
    });
    localStorage.removeItem(WHO);
    if (this.me) localStorage.removeItem(`fullhouse:${this.me.organization.slug}`);
    await globalThis.caches?.delete(CACHE);
    location.assign('/');
  }

  /** Everything that this page needs to open again without a connection. */
  private async keep(): Promise<void> {
    const own = [...(this.one ? [this.one] : this.list)].filter(({ qr }) => qr);
    if (!own.length || !('serviceWorker' in navigator) || !globalThis.caches) return;
    try {
      await navigator.serviceWorker.register('/tickets-sw.js', { scope: '/my' });
      const cache = await caches.open(CACHE);
      const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname + new URL(name).search);
      const headers: Record<string, string> = this.house ? { 'x-organization': this.house } : {}; // the session that is meant
      const files = loaded.filter((path) => /^\/(static|built)\//.test(path));
      const shown = ['/my', '/api/me', ...(this.one ? [] : ['/api/me/tickets?group=upcoming'])];
      const codes = own.flatMap(({ id }) => [`/my/tickets/${id}`, `/api/tickets/${id}`, `/api/tickets/${id}.qr.svg`]);
      await Promise.all([...new Set([...files, ...shown, ...codes])].map((path) => cache.add(new Request(path, { headers }))));
      this.isKept = true;
    } catch {
      this.isKept = false; // no room, or no permission: they are still on the screen, and in the mail
    }
  }
}

async function forget(which: (path: string) => boolean): Promise<void> {
  if (!globalThis.caches) return;
  const cache = await caches.open(CACHE);
  for (const request of await cache.keys()) if (which(new URL(request.url).pathname)) await cache.delete(request);
}
