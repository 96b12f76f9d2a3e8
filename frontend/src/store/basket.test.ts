// The basket against refusals: what I have stays, and something else is offered.
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { SeatMap } from '../lib/map/seatmap';
import { Basket } from './basket.svelte';
import type { Hall } from './hall.svelte';
import { passed } from './marks';
import { Visitor } from './visitor.svelte';

const states = new Uint8Array(5);
const map = {
  states,
  mine: new Set<number>(),
  isFree: (seat: number) => states[seat] === 0,
  setMine: (seats: number[]) => {
    map.mine = new Set(seats);
  },
  zoneOf: () => 0,
  geometry: {
    count: 5, pitch: 1, wholes: new Map(), zones: [{ key: 'z', name: 'Stalls', price: 0 }, { key: 'floor', name: 'Floor', price: 1 }], prices: [['A', 'Best', null], ['B', 'Floor', null]], rows: [{ section: 0 }],
    x: Float32Array.from([0, 1, 2, 3, 4]), y: new Float32Array(5), rowOf: new Uint32Array(5), price: new Uint8Array(5), category: new Uint8Array(5),
  },
} as unknown as SeatMap & { mine: Set<number> };
const refreshed = vi.fn(async () => {});
const hall = {
  map, hasMap: true, zones: [], shown: null, refresh: refreshed,
  seatId: (n: number) => `s${n}`, ordinalOf: (id: string | null) => (id ? Number(id.slice(1)) : -1),
  title: (n: number) => `seat ${n}`, zoneName: () => 'Stalls', keyOf: () => 'z', categoryOf: () => 'A', zoneId: () => 'z1',
} as unknown as Hall;

const OFFER = { id: 't1', name: 'Full', kind: 'seated', status: 'on_sale', zones: [], price: { amount: 3000, currency: 'EUR' }, prices: { A: 4500 } };
const line = (n: number) => ({ hold_id: `h${n}`, seat_id: `s${n}`, zone_id: null, ticket_type_id: null, quantity: 1 });
const problem = (status: number, code: string, more: object = {}) => [status, { status, code, detail: code, ...more }] as const;

let next: (readonly [number, unknown])[];
let bodies: { items?: { seat_id: string }[]; best_available?: object }[];
let said: string[];
let basket: Basket;

beforeEach(() => {
  states.fill(0);
  next = [];
  bodies = [];
  said = [];
  refreshed.mockClear();
  vi.stubGlobal('fetch', async (path: string, { body, method }: { body: string | null; method: string }) => {
    if (path === '/api/auth/sessions') return new Response(JSON.stringify({ data: [{ id: 'h1', user_name: 'A', email: null }] }));
    if (method === 'DELETE') return new Response(null, { status: 204 });
    bodies.push(JSON.parse(body ?? '{}'));
    const [status, answer] = next.shift()!;
    return new Response(JSON.stringify(answer), { status });
  });
  basket = new Basket('e1', new Visitor('house', 'h1', false), hall, (message) => said.push(message), () => false);
  basket.offers = [OFFER] as never;
});

const held = (...seats: number[]) => [201, { data: { items: seats.map(line), held_until_unix_ms: Date.now() + 300_000, server_time_unix_ms: Date.now(), explanation: null } }] as const;

test('what a price category costs is known for seats, and for zones that have none', () => {
  basket.offers = [OFFER, { ...OFFER, id: 't2', kind: 'ga', zones: ['floor'], prices: { B: 2500 } }] as never;
  expect([0, 1].map((price) => basket.costAt(price))).toEqual(['€45.00', '€25.00']);
});

test('a seat that is taken is mine, at the price of where it stands, until it is given back', async () => {
  next = [held(1)];
  await basket.pick(1);
  expect(basket.items.map(({ title, typeId }) => [title, typeId])).toEqual([['seat 1', 't1']]);
  expect(basket.total).toEqual({ amount: 4500, currency: 'EUR' });
  expect([...map.mine]).toEqual([1]);
  await basket.pick(1);
  expect(basket.items).toEqual([]);
});

describe('somebody was faster', () => {
  test('the rest stays mine, and the nearest is one press away', async () => {
    next = [held(0), problem(409, 'seat_no_longer_available'), held(1)];
    await basket.pick(0);
    states[0] = 1;
    refreshed.mockImplementation(async () => void (states[2] = 1));
    await basket.pick(2);
    expect(basket.items.map(({ ordinal }) => ordinal)).toEqual([0]);
    expect(said.at(-1)).toContain('seat 2');
    expect(basket.instead?.text).toContain('seat 1');
    await basket.instead!.take();
    expect(bodies.at(-1)).toEqual({ items: [{ seat_id: 's1' }] });
    expect(basket.items.map(({ ordinal }) => ordinal)).toEqual([0, 1]);
    expect(basket.instead).toBeNull();
  });

  test('a choice that leaves a single seat is answered by the house’s own', async () => {
    next = [problem(409, 'orphan_seats', { alternative: ['s3', 's4'] }), held(3, 4)];
    await basket.pick(2);
    await basket.instead!.take();
    expect(bodies.at(-1)).toEqual({ items: [{ seat_id: 's3' }, { seat_id: 's4' }] });
  });

  test('too large a party is offered the largest there is', async () => {
    next = [problem(409, 'group_adjacency_strict', { largest: 3 }), held(1, 2, 3)];
    await basket.best(8);
    await basket.instead!.take();
    expect(bodies.at(-1)!.best_available).toMatchObject({ quantity: 3 });
  });
});

test('when the time is over there is a way back, to what is left of it', async () => {
  refreshed.mockImplementation(async () => {});
  next = [held(0, 1), held(0)];
  await basket.takeSeats([0, 1]);
  basket.expire();
  expect(basket.items).toEqual([]);
  expect(basket.lost).toHaveLength(2);
  states[1] = 2;
  await basket.takeAgain();
  expect(bodies.at(-1)).toEqual({ items: [{ seat_id: 's0' }] });
  expect(basket.items.map(({ ordinal }) => ordinal)).toEqual([0]);
  expect(basket.instead?.text).toContain('seat 2');
});

test('time is said aloud at two minutes and at half a minute, once each', () => {
  const said = [];
  let before = Infinity;
  for (let left = 300_000; left > -1000; left -= 250) {
    const mark = passed(before, left);
    if (mark !== null) said.push(mark);
    before = left;
  }
  expect(said).toEqual([120_000, 30_000]);
  expect(passed(Infinity, 100_000)).toBeNull();
});
