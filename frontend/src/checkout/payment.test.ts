// A checkout against a house of our own making: what is sent, what is kept when something fails.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Card, type Stripe } from './card';
import { Checkout } from '../store/checkout.svelte';
import type { Item, WayToPay } from '../store/model';
import { Visitor } from '../store/visitor.svelte';
import { Payment } from './payment.svelte';

interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
}
type Answer = [status: number, body: unknown] | 'lost';

const SESSION = { id: 's1', status: 'open', lines: [], total: { amount: 5000, currency: 'EUR' }, ways_to_pay: [], expires_at_unix_ms: 9e15, server_time_unix_ms: Date.now(), order_id: null };
const order = (status: string, more: object = {}) => ({ id: 'o1', code: 'ABC', status, total: SESSION.total, tickets: [], secret: null, payment: { provider: 'stripe', status: 'pending', client_secret: 'pi_secret', failure: null, notice: null, ...more } });
const STRIPE: WayToPay = { provider: 'stripe', methods: [], notice: null, public_key: 'pk_test_1' };
const TEST: WayToPay = { provider: 'test', methods: ['approve'], notice: null, public_key: null };
const BUYER = { name: 'Ada', email: 'ada@example.org' };

let sent: Sent[];
let answers: Record<string, Answer[]>;

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  answers = {};
  vi.stubGlobal('fetch', async (path: string, { method, headers, body }: { method: string; headers: Record<string, string>; body: string | null }) => {
    sent.push({ method, path, headers, body: body && JSON.parse(body) });
    const list = answers[`${method} ${path}`] ?? [];
    const answer = list.length > 1 ? list.shift()! : list[0];
    if (!answer || answer === 'lost') throw new TypeError('lost');
    return new Response(JSON.stringify(answer[1]), { status: answer[0], headers: { 'content-type': 'application/json' } });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Stripe in the browser, as far as a checkout meets it. */
function stripe(...refusals: (string | null)[]) {
  const paid: Record<string, unknown>[] = [];
  const mounted: unknown[] = [];
  const made: Stripe = {
    elements: (options) => {
      mounted.push(options);
      return { create: () => ({ mount: () => {}, unmount: () => {}, on: () => {} }), submit: async () => ({}) };
    },
    confirmPayment: async (options) => {
      paid.push(options as Record<string, unknown>);
      const message = refusals.shift() ?? null;
      return message ? { error: { message } } : { paymentIntent: { status: 'succeeded' } };
    },
  };
  const card = Card.open(() => made, 'pk_test_1', null as unknown as HTMLElement, SESSION.total, 'af', {});
  return { card, paid, mounted };
}

async function begun(): Promise<{ checkout: Checkout; payment: Payment }> {
  answers['POST /api/events/e1/checkout'] = [[201, { data: SESSION }]];
  const visitor = new Visitor('house', 'h1', false);
  const checkout = new Checkout('e1', visitor);
  expect(await checkout.begin([{ holdId: 'a', typeId: 'b' } as Item], 'ONCE')).toBe(true);
  expect(sent.at(-1)!.body).toEqual({ items: [{ hold_id: 'a', ticket_type_id: 'b' }], promo_code: 'ONCE' });
  return { checkout, payment: new Payment(checkout, visitor) };
}

async function hurry<T>(work: Promise<T>): Promise<T> {
  await vi.runAllTimersAsync();
  return work;
}

const purchases = () => sent.filter(({ path }) => path.endsWith('/purchase'));

test('a busy house sends to the line', async () => {
  answers['POST /api/events/e1/checkout'] = [[202, { data: { position: 7 } }]];
  const checkout = new Checkout('e1', new Visitor('house', 'h1', false));
  expect(await checkout.begin([], '')).toBe(false);
  expect(checkout.session).toBeNull();
});

describe('Stripe', () => {
  test('is told the price, the language and who pays; the order is followed until it is paid', async () => {
    const { payment } = await begun();
    const { card, paid, mounted } = stripe();
    payment.card = card;
    answers['POST /api/checkout/s1/purchase'] = [[202, { data: order('pending') }]];
    answers['GET /api/orders/o1'] = [[200, { data: order('pending') }], [200, { data: order('paid') }]];
    expect(await hurry(payment.pay(STRIPE, null, BUYER, 'https://x/y'))).toBe('bought');
    expect(mounted).toEqual([expect.objectContaining({ mode: 'payment', amount: 5000, currency: 'eur', locale: 'af' })]);
    expect(paid).toEqual([expect.objectContaining({ clientSecret: 'pi_secret', redirect: 'if_required', confirmParams: { return_url: 'https://x/y', payment_method_data: { billing_details: BUYER } } })]);
    expect(purchases()).toHaveLength(1);
  });

  test('a declined card loses nothing: the next one pays the same order', async () => {
    const { checkout, payment } = await begun();
    const { card, paid } = stripe('Your card was declined.', null);
    payment.card = card;
    answers['POST /api/checkout/s1/purchase'] = [[202, { data: order('pending') }]];
    expect(await hurry(payment.pay(STRIPE, null, BUYER, '/'))).toBe('declined');
    expect(payment.failure).toBe('Your card was declined. Your tickets are still held for you.');
    expect(checkout.session).not.toBeNull();
    answers['GET /api/orders/o1'] = [[200, { data: order('paid') }]];
    expect(await hurry(payment.pay(STRIPE, null, BUYER, '/'))).toBe('bought');
    expect(purchases()).toHaveLength(1);
    expect(paid.map(({ clientSecret }) => clientSecret)).toEqual(['pi_secret', 'pi_secret']);
  });

  test('a payment that went through before a reload is not made again', async () => {
    const { checkout, payment } = await begun();
    const { card } = stripe();
    payment.card = card;
    checkout.order = order('pending') as never;
    (card as unknown as { stripe: Stripe }).stripe.confirmPayment = async () => ({ error: { code: 'payment_intent_unexpected_state', message: 'It succeeded already.' } });
    answers['GET /api/orders/o1'] = [[200, { data: order('paid') }]];
    expect(await hurry(payment.pay(STRIPE, null, BUYER, '/'))).toBe('bought');
    expect(purchases()).toHaveLength(0);
  });

  test('nothing is ordered before its fields are there', async () => {
    const { payment } = await begun();
    expect(await hurry(payment.pay(STRIPE, null, BUYER, '/'))).toBe('declined');
    expect(purchases()).toHaveLength(0);
  });
});

test('no answer: the same purchase is asked for again, under the same key', async () => {
  const { payment } = await begun();
  answers['POST /api/checkout/s1/purchase'] = ['lost', [201, { data: order('paid') }]];
  expect(await hurry(payment.pay(TEST, 'approve', BUYER, '/'))).toBe('declined');
  expect(await hurry(payment.pay(TEST, 'approve', BUYER, '/'))).toBe('bought');
  const [first, second] = purchases().map(({ headers }) => headers['idempotency-key']);
  expect(first).toBe(second);
});

test('a refused one is another purchase, under another key', async () => {
  const { payment } = await begun();
  answers['POST /api/checkout/s1/purchase'] = [[402, { status: 402, code: 'payment_declined', detail: 'Declined.' }], [201, { data: order('paid') }]];
  expect(await hurry(payment.pay(TEST, 'decline', BUYER, '/'))).toBe('declined');
  expect(payment.failure).toBe('Declined. Your tickets are still held for you.');
  expect(await hurry(payment.pay(TEST, 'approve', BUYER, '/'))).toBe('bought');
  const [first, second] = purchases().map(({ headers }) => headers['idempotency-key']);
  expect(first).not.toBe(second);
});

describe('an order that is called off meanwhile', () => {
  test.each([
    ['by the bank', { status: 'failed', failure: 'Declined.' }, 'declined', 'Declined. Your tickets are still held for you.'],
    ['by the bank, without a word', { status: 'failed' }, 'declined', 'The payment was declined. Try again, or pay another way. Your tickets are still held for you.'],
    ['by nobody: it took too long', { status: 'abandoned' }, 'declined', 'The payment was declined. Try again, or pay another way. Your tickets are still held for you.'],
    ['by the house', { status: 'pending' }, 'cancelled', ''],
    ['by the house, after the money came', { status: 'captured' }, 'refunded', ''],
  ])('%s', async (_by, told, outcome, failure) => {
    const { payment } = await begun();
    answers['POST /api/checkout/s1/purchase'] = [[202, { data: order('pending', { client_secret: null }) }]];
    answers['GET /api/orders/o1'] = [[200, { data: order('cancelled', told) }]];
    expect(await hurry(payment.pay(TEST, 'approve', BUYER, '/'))).toBe(outcome);
    expect(payment.failure).toBe(failure);
  });
});

test('what has expired says so', async () => {
  const { payment } = await begun();
  answers['POST /api/checkout/s1/purchase'] = [[409, { status: 409, code: 'hold_expired', detail: 'x' }]];
  expect(await hurry(payment.pay(TEST, 'approve', BUYER, '/'))).toBe('over');
});

test('whoever comes back finds the checkout, with its order', async () => {
  answers['GET /api/events/e1/checkout'] = [[200, { data: { ...SESSION, status: 'paying', order_id: 'o1' } }]];
  answers['GET /api/orders/o1'] = [[200, { data: order('pending') }]];
  const checkout = new Checkout('e1', new Visitor('house', 'h1', false));
  expect(await checkout.find()).toBe(true);
  expect(checkout.isPending).toBe(true);
  answers['GET /api/events/e1/checkout'] = [[404, { status: 404, code: 'checkout_not_found', detail: 'x' }]];
  expect(await new Checkout('e1', new Visitor('house', 'h1', false)).find()).toBe(false);
});

describe('in another site’s frame', () => {
  const kept = new Map<string, string>();
  beforeEach(() => {
    kept.clear();
    vi.stubGlobal('sessionStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) });
    answers['POST /api/auth/guest'] = [[201, { data: { token: 'fhs_guest' } }]];
    answers['GET /api/me'] = [[200, { data: { name: 'Guest', email: null } }]];
  });

  test('a guest of its own is known by a token, never by a cookie', async () => {
    const seen: RequestInit[] = [];
    const before = globalThis.fetch;
    vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
      seen.push(init);
      return before(path, init);
    });
    const visitor = new Visitor('house', 'h1', true);
    expect(visitor.mayBeBack).toBe(false);
    await visitor.signIn();
    await visitor.api.get('/api/me');
    expect(sent.at(-1)!.headers.authorization).toBe('Bearer fhs_guest');
    expect(seen.every(({ credentials }) => credentials === 'omit')).toBe(true);
    expect(new Visitor('house', 'h1', true).mayBeBack).toBe(true);
  });

  test('it works where storage is forbidden', async () => {
    vi.stubGlobal('sessionStorage', { getItem: () => { throw new Error('no'); }, setItem: () => { throw new Error('no'); } });
    const visitor = new Visitor('house', 'h1', true);
    await visitor.signIn();
    await visitor.api.get('/api/me');
    expect(sent.at(-1)!.headers.authorization).toBe('Bearer fhs_guest');
  });
});

test('who is signed in does not become a guest', async () => {
  answers['GET /api/auth/sessions'] = [[200, { data: [{ id: 'h2', user_name: 'Bo', email: 'bo@example.org' }, { id: 'h1', user_name: 'Ada', email: 'ada@example.org' }] }]];
  const visitor = new Visitor('house', 'h1', false);
  await visitor.signIn();
  expect(sent.map(({ path }) => path)).toEqual(['/api/auth/sessions']);
  expect(visitor.person?.email).toBe('ada@example.org');
});
