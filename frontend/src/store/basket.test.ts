// The basket against refusals: what I have stays, and something else is offered.
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Problem } from '../lib/api';
import { hear, serverNow } from '../lib/clock.svelte';
import type { SeatMap } from '../lib/map/seatmap';
import { Basket } from './basket.svelte';
import type { Hall } from './hall.svelte';
import { leftOf, passed } from './marks';
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
  describe: (seat: number) => ({ row: 'A', number: `${seat}` }),
  geometry: {
    count: 5, pitch: 1, wholes: new Map(), zones: [{ key: 'z', name: 'Stalls', price: 0, isOpen: false }, { key: 'floor', name: 'Floor', price: 1, isOpen: true }], prices: [['A', 'Best', null], ['B', 'Floor', null]], rows: [{ section: 0 }],
    x: Float32Array.from([0, 1, 2, 3, 4]), y: new Float32Array(5), rowOf: new Uint32Array(5), price: new Uint8Array(5), category: new Uint8Array(5),
  },
} as unknown as SeatMap & { mine: Set<number> };
let kept: number[] = [];
let closed: boolean[] = []; // by zone
const refreshed = vi.fn(async () => {});
const hall = {
  map, hasMap: true, zones: [], shown: null, left: [], refresh: refreshed, keep: (seats: number[]) => (kept = seats), closeZones: (zones: boolean[]) => (closed = zones),
  seatId: (n: number) => `s${n}`, ordinalOf: (id: string | null) => (id ? Number(id.slice(1)) : -1),
  title: (n: number) => `seat ${n}`, state: (n: number) => ['available', 'in another basket', 'sold', 'not for sale'][states[n]!], zoneName: () => 'Stalls', zoneOf: () => 'z', categoryOf: () => 'A', zoneId: () => 'z1',
} as unknown as Hall;

const OFFER = { id: 't1', name: 'Full', kind: 'seated', status: 'on_sale', zones: [], price: { amount: 3000, currency: 'EUR' }, prices: { A: 4500 }, charges: [{ name: 'Service', kind: 'fee', amount: 150 }] };
const line = (n: number) => ({ hold_id: `h${n}`, seat_id: `s${n}`, zone_id: null, ticket_type_id: null, quantity: 1 });
const problem = (status: number, code: string, more: object = {}) => [status, { status, code, detail: code, ...more }] as const;

let next: (readonly [status: number, body: unknown, headers?: Record<string, string>])[];
let bodies: { items?: { seat_id: string }[]; best_available?: object; reserve?: string }[]; // of single picks, the seat
let released: string[];
let said: string[];
let basket: Basket;

beforeEach(() => {
  states.fill(0);
  next = [];
  bodies = [];
  released = [];
  said = [];
  refreshed.mockClear();
  vi.stubGlobal('fetch', async (path: string, { body, method }: { body: string | null; method: string }) => {
    if (path === '/api/auth/sessions') return new Response(JSON.stringify({ data: [{ id: 'h1', user_name: 'A', email: null }] }));
    if (method === 'DELETE') {
      released.push(path.split('/').at(-1)!);
      return new Response(null, { status: 204 });
    }
    const reserve = /seats\/(\w+)\/reserve$/.exec(path)?.[1];
    bodies.push(reserve ? { reserve } : JSON.parse(body ?? '{}'));
    const [status, answer, headers = {}] = next.shift() ?? [0, null];
    if (!status) throw new TypeError('lost');
    return new Response(JSON.stringify(answer), { status, headers });
  });
  basket = new Basket('e1', new Visitor('house', 'h1', false), hall, (message) => said.push(message), () => false);
  basket.offers = [OFFER] as never;
});

const held = (...seats: number[]) => heldFor(300_000, ...seats);
const heldFor = (ms: number, ...seats: number[]) => [201, { data: { ...line(seats[0]!), items: seats.map(line), held_until_unix_ms: Date.now() + ms, server_time_unix_ms: Date.now(), explanation: null } }] as const;
const iso = (ms: number) => new Date(ms).toISOString();
/** What the house says that I hold. */
const mine = (now: number, ...seats: [seat: number, leftMs: number][]) =>
  [200, { data: seats.map(([n, left]) => ({ ...line(n), id: `h${n}`, created_at: iso(now - 60_000), held_until: iso(now + left) })) }, { date: new Date(now).toUTCString() }] as const;

test('what a checkout gathers has its time', async () => {
  next = [heldFor(300_000, 1, 2)];
  await basket.takeSeats([1, 2]);
  const now = serverNow();
  const lines = [{ hold_id: 'h1', held_until_unix_ms: now + 600_000 }, { hold_id: 'h2', held_until_unix_ms: null }];
  const [, other] = basket.items.map(({ since, until }) => ({ since, until }));
  basket.retime({ items: lines, server_time_unix_ms: now } as never);
  expect(basket.items.map(({ since, until }) => ({ since, until }))).toEqual([{ since: now, until: now + 600_000 }, other]);
});

test('what a price category costs is known for seats, and for zones that have none', () => {
  basket.offers = [OFFER, { ...OFFER, id: 't2', kind: 'ga', zones: ['floor'], prices: { B: 2500 } }] as never;
  expect([0, 1].map((price) => basket.costAt(price))).toEqual(['€45.00', '€25.00']);
});

test('prices of what this show leaves closed are not shown', () => {
  const shown = () => basket.tiers.map(({ name }) => name);
  basket.hearOffers([{ ...OFFER, sale_start_at: iso(serverNow() - 1000), sale_end_at: iso(serverNow() - 1000) }] as never);
  expect(shown()).toEqual(['Best']); // nothing sells places on the floor
  hall.left = [0, 7];
  expect(shown()).toEqual(['Best', 'Floor']); // not yet, but it will
  hall.left = [];
  basket.areOffersKnown = false;
  expect(shown()).toEqual(['Best', 'Floor']); // not known yet: the page does not jump
});

test('what nothing sells to me is not for sale on the map, until a code shows what does', () => {
  const floor = { ...OFFER, id: 't2', kind: 'ga', zones: ['floor'], sale_start_at: iso(serverNow() - 1000), sale_end_at: iso(serverNow() + 60_000) };
  basket.hearOffers([floor] as never);
  expect(closed).toEqual([true, false]);
  basket.use('FRIENDS', null, [floor, { ...floor, id: 't3', kind: 'seated', zones: [] }] as never);
  expect(closed).toEqual([false, false]);
});

test('who has left does not look again when a sale begins', () => {
  vi.useFakeTimers();
  const soon = iso(serverNow() + 1000);
  const later = iso(serverNow() + 60_000);
  const offer = { ...OFFER, status: 'upcoming', sale_start_at: soon, sale_end_at: later } as never;
  basket.hearOffers([offer]);
  expect(vi.getTimerCount()).toBe(1);
  basket.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('what I hold keeps its type when there is no more of it', async () => {
  const others = ['t2', 't3'].map((id) => ({ ...OFFER, id }));
  next = [held(1)];
  await basket.takeSeats([1]);
  basket.hearOffers([{ ...OFFER, status: 'sold_out' }, ...others] as never);
  expect(basket.items.map((item) => [item.typeId, basket.typesFor(item).map(({ id }) => id)])).toEqual([['t1', ['t1', 't2', 't3']]]);
  expect(basket.typesFor({ zone: 'z', seatId: '' }).map(({ id }) => id)).toEqual(['t2', 't3']);
});

test('places that are held as a type are of it, and of no other when they are taken again', async () => {
  const ga = { ...OFFER, kind: 'ga', valid_days: ['2090-07-07'] };
  basket.hearOffers([ga, { ...ga, id: 't2' }] as never);
  const places = { hold_id: 'p1', seat_id: null, zone_id: 'z1', ticket_type_id: 't2', quantity: 3 };
  next = [[201, { data: { items: [places], held_until: null } }]];
  await basket.takePlaces(0, 3, 't2');
  expect(bodies).toEqual([{ items: [{ zone_id: 'z1', ticket_type_id: 't2', quantity: 3 }] }]);
  expect(basket.items.map((item) => [item.typeId, basket.typesFor(item).map(({ id }) => id)])).toEqual([['t2', ['t2']]]);
  basket.lost = basket.items;
  next = [[201, { data: { items: [{ ...places, hold_id: 'p2' }], held_until: null } }]];
  await basket.takeAgain();
  expect(bodies[1]).toEqual(bodies[0]);
  next = [[201, { data: { items: [], held_until: null } }]];
  await basket.takePlaces(0, 1);
  expect(bodies[2]).toEqual({ items: [{ zone_id: 'z1', quantity: 1 }] });
});

test('without a map a place is of the type that it was held of', () => {
  const plain = new Basket('e1', new Visitor('house', 'h1', false), { ...hall, map: null, hasMap: false } as Hall, () => {}, () => false);
  plain.hearOffers([{ ...OFFER, status: 'sold_out' }, { ...OFFER, id: 't2' }, { ...OFFER, id: 't3' }] as never);
  expect(plain.typesFor({ zone: '', seatId: null, typeId: 't1' }).map(({ id }) => id)).toEqual(['t1']);
});

test('a sale begins and ends by the clock of the house', async () => {
  vi.useFakeTimers({ now: Date.parse('2030-01-01T09:00:00Z') });
  const offer = { ...OFFER, status: 'upcoming', left: 4, sale_start_at: '2030-01-01T10:00:00Z', sale_end_at: '2030-01-03T10:00:00Z' };
  next = [[200, { data: [offer] }, { date: 'Tue, 01 Jan 2030 09:00:00 GMT' }]];
  await basket.loadOffers();
  const status = () => basket.offers[0]!.status;
  expect(status()).toBe('upcoming');
  for (const [hours, expected] of [[0.9, 'upcoming'], [0.2, 'on_sale'], [47.5, 'on_sale'], [1, 'closed']] as const) {
    for (let n = 0; n < hours * 60; n += 6) {
      hear(Date.now()); // as the clock does four times a second
      await vi.advanceTimersByTimeAsync(6 * 60_000);
    }
    expect(status()).toBe(expected);
  }
  vi.useRealTimers();
});

test('what was told while the offers were read is not undone', async () => {
  next = [[200, { data: [OFFER] }]];
  const read = basket.loadOffers();
  basket.hearOffers([{ ...OFFER, status: 'sold_out' }] as never);
  await read;
  expect(basket.offers[0]!.status).toBe('sold_out');
});

test('places of a zone cost from the least of what their category costs', () => {
  const standing = { ...OFFER, kind: 'ga', zones: ['floor'] };
  basket.offers = [{ ...standing, prices: { A: 1500 } }, { ...standing, id: 't2', price: { amount: 2000, currency: 'EUR' }, prices: {} }] as never;
  expect(basket.leastOf('floor')).toBe('€15.00');
});

test('a price has the map’s colour beside the map; beyond four, a letter tells them apart', () => {
  const prices = map.geometry.prices;
  basket.offers = [];
  try {
    map.geometry.prices = [['A', 'Best', '#8C2F6B'], ['B', 'Floor', null], ['C', 'Box', '#123456']];
    expect(basket.tiers.map(({ name, color }) => [name, color])).toEqual([['Best', 'var(--tier-4)'], ['Floor', 'var(--tier-2)'], ['Box', '#123456']]);
    map.geometry.prices = ['One', 'Two', 'Three', 'Four', 'Five'].map((name) => [name, name, null]);
    const [first, , , , fifth] = basket.tiers;
    expect([first!.color, first!.name, fifth!.name]).toEqual([fifth!.color, 'A · One', 'E · Five']);
  } finally {
    map.geometry.prices = prices;
  }
});

test('a seat that is taken is mine, at the price of where it stands, until it is given back', async () => {
  next = [held(1)];
  await basket.pick(1);
  expect(basket.items.map(({ title, typeId }) => [title, typeId])).toEqual([['seat 1', 't1']]);
  expect(basket.bill).toEqual({ lines: [{ kind: 'fee', name: 'Service', amount: 150, included: false }], total: { amount: 4650, currency: 'EUR' } });
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
    expect(bodies.at(-1)).toEqual({ reserve: 's1' });
    expect(basket.items.map(({ ordinal }) => ordinal)).toEqual([0, 1]);
    expect(basket.instead).toBeNull();
  });

  test('only a seat that looked free was taken a moment ago; of another it is said what it is', async () => {
    const saidOf = async (seat: number, shown: number, now: number) => {
      states[seat] = shown;
      refreshed.mockImplementation(async () => void (states[seat] = now));
      next = [problem(409, 'seat_not_available')];
      await basket.pick(seat);
      return said.at(-1);
    };
    expect(await saidOf(0, 0, 2)).toBe('seat 0 has just been taken.');
    expect(await saidOf(1, 2, 2)).toBe('seat 1 is sold.');
    expect(await saidOf(2, 1, 2)).toBe('seat 2 is in another basket.');
    expect(await saidOf(3, 3, 3)).toBe('seat 3 is not for sale.');
    expect(basket.instead?.text).toContain('seat 4');
  });

  test('a choice that leaves a single seat is answered by the house’s own', async () => {
    next = [problem(409, 'orphan_seats', { alternative: ['s3', 's4'] }), held(3, 4)];
    await basket.pick(2);
    await basket.instead!.take();
    expect(bodies.at(-1)).toEqual({ items: [{ seat_id: 's3' }, { seat_id: 's4' }] });
  });

  test('a party that would sit far apart is asked first', async () => {
    next = [problem(409, 'max_group_split', { largest: 2 }), held(1, 2, 7, 8)];
    await basket.best(4, 1);
    expect(bodies.at(-1)!.best_available).not.toHaveProperty('allow_split');
    await basket.instead!.take();
    expect(bodies.at(-1)!.best_available).toMatchObject({ quantity: 4, accessible: 1, allow_split: true });
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
  next = [held(0, 1), mine(Date.now()), held(0)];
  await basket.takeSeats([0, 1]);
  await basket.expire();
  expect(basket.items).toEqual([]);
  expect(basket.lost).toHaveLength(2);
  states[1] = 2;
  await basket.takeAgain();
  expect(bodies.at(-1)).toEqual({ reserve: 's0' });
  expect(basket.items.map(({ ordinal }) => ordinal)).toEqual([0]);
  expect(basket.instead?.text).toContain('seat 2');
});

test('what was lost minutes ago was not taken a moment ago', async () => {
  refreshed.mockImplementation(async () => {});
  next = [held(0, 1), mine(Date.now())];
  await basket.takeSeats([0, 1]);
  await basket.expire();
  states.fill(1);
  states[1] = 2;
  await basket.takeAgain();
  expect(said.at(-1)).toBe('seat 0 is in another basket. seat 1 is sold.');
});

describe('one thing at a time', () => {
  test('the way back is taken once, however often it is pressed', async () => {
    refreshed.mockImplementation(async () => {});
    next = [held(0), mine(Date.now()), held(0)];
    await basket.pick(0);
    await basket.expire();
    const presses = [basket.takeAgain(), basket.takeAgain()];
    expect(basket.isBusy).toBe(true);
    await Promise.all(presses);
    expect(refreshed).toHaveBeenCalledTimes(1);
    expect(basket.items.map(({ ordinal }) => ordinal)).toEqual([0]);
  });

  test('nothing is given back while something else is', async () => {
    next = [held(0, 1)];
    await basket.takeSeats([0, 1]);
    await Promise.all(basket.items.map((item) => basket.giveBack(item)));
    expect(basket.items.map(({ ordinal }) => ordinal)).toEqual([1]);
    expect([basket.isBusy, said.at(-1)]).toEqual([false, 'seat 0 removed from your basket.']);
  });
});

describe('each hold has its own end', () => {
  const ordinals = (items: { ordinal: number }[]) => items.map(({ ordinal }) => ordinal);

  beforeEach(async () => {
    refreshed.mockImplementation(async () => {});
    next = [heldFor(-1000, 0), heldFor(240_000, 1)];
    await basket.pick(0);
    await basket.pick(1);
  });

  test('what is over leaves, the rest stays mine, and the countdown goes on with it', async () => {
    next = [mine(Date.now(), [1, 240_000]), held(0)];
    await basket.expire();
    expect([ordinals(basket.items), ordinals(basket.lost)]).toEqual([[1], [0]]);
    expect([...map.mine]).toEqual([1]);
    expect(basket.first!.until - Date.now()).toBeGreaterThan(230_000);
    await basket.takeAgain();
    expect(bodies.at(-1)).toEqual({ reserve: 's0' });
    expect(ordinals(basket.items)).toEqual([1, 0]);
  });

  test('where the house cannot be asked, the clock says which', async () => {
    await basket.expire();
    expect([ordinals(basket.items), ordinals(basket.lost)]).toEqual([[1], [0]]);
  });

  test('what the house has given more time is not over', async () => {
    next = [mine(Date.now(), [0, 60_000], [1, 240_000])];
    await basket.expire();
    expect([ordinals(basket.items), basket.lost]).toEqual([[0, 1], []]);
    expect(basket.first!.until - Date.now()).toBeGreaterThan(50_000);
  });
});

test.each([-300_000, 300_000])('whoever comes back counts on the server’s clock, with one of their own that is %i ms off', async (off) => {
  const now = Date.now() + off;
  next = [mine(now, [2, 120_000])];
  await basket.find();
  expect(Math.abs(basket.first!.until - serverNow() - 120_000)).toBeLessThan(2000);
});

test('the ring is full at the beginning, however long a hold is', async () => {
  for (const minutes of [1, 5, 30]) {
    next = [heldFor(minutes * 60_000, 0)];
    await basket.pick(0);
    const { since, until } = basket.first!;
    expect([since, (since + until) / 2, until + 1].map((now) => leftOf({ since, until }, now))).toEqual([1, 0.5, 0]);
    basket.clear();
  }
});

describe('a guest who signs in', () => {
  const person = (name: string | null) => [200, { data: name ? [{ id: 'h1', user_name: name, email: 'a@example.org' }] : [] }] as const;
  let kept: Map<string, string>;
  let isIn = false;

  beforeEach(() => {
    kept = new Map();
    vi.stubGlobal('localStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value), removeItem: (key: string) => kept.delete(key) });
    const [, signedIn] = person('Ada');
    const asked = globalThis.fetch;
    vi.stubGlobal('fetch', async (path: string, wish: RequestInit) => (path === '/api/auth/sessions' && isIn ? new Response(JSON.stringify(signedIn)) : asked(path, wish)));
    isIn = false;
  });

  const back = async () => {
    isIn = true;
    const visitor = new Visitor('house', 'h1', false);
    await visitor.recognise();
    basket = new Basket('e1', visitor, hall, (message) => said.push(message), () => false);
    basket.offers = [OFFER] as never;
    await basket.find();
    return basket.behind;
  };

  test('finds what came along, and hears what did not', async () => {
    next = [held(0), held(1), mine(Date.now(), [0, 200_000])];
    await basket.pick(0);
    await basket.pick(1);
    expect(await back()).toEqual(['seat 1']);
    expect(basket.items.map(({ ordinal }) => ordinal)).toEqual([0]);
    expect(kept.size).toBe(0);
  });

  test('hears of nothing if all of it came', async () => {
    next = [held(0), mine(Date.now(), [0, 200_000])];
    await basket.pick(0);
    expect(await back()).toEqual([]);
  });

  test('hears of nothing whose time was over anyway', async () => {
    next = [heldFor(-1000, 0), mine(Date.now())];
    await basket.pick(0);
    expect(await back()).toEqual([]);
  });

  test('leaves no note of what was given back', async () => {
    next = [held(0)];
    await basket.pick(0);
    expect(kept.size).toBe(1);
    await basket.giveBack(basket.items[0]!);
    expect(kept.size).toBe(0);
  });
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

describe('a companion seat that is reserved for me', () => {
  const beside = (n: number) => ({ seat_id: `s${n}`, companion_of: 's1' });
  const chair = () => {
    const [status, { data }] = held(1);
    return [status, { data: { ...data, companions: [beside(2)] } }] as const;
  };

  test('is offered with its price, and free on my map alone', async () => {
    next = [chair(), held(2)];
    await basket.pick(1);
    expect(basket.companion).toBe(2);
    expect(basket.companionText).toBe('A companion seat (Row A, Seat 2) is reserved for you.');
    expect([kept, basket.costOf(2)]).toEqual([[2], '€45.00']);
    await basket.pick(2);
    expect(bodies.at(-1)).toEqual({ reserve: 's2' });
    expect([basket.companion, kept, basket.items.length]).toEqual([-1, [], 2]);
  });

  test('is offered again once it was given back', async () => {
    next = [chair(), held(2)];
    await basket.pick(1);
    await basket.pick(2);
    await basket.giveBack(basket.items[1]!);
    expect(basket.companion).toBe(2);
  });

  test('is found again, and gone with its place', async () => {
    const [status, { data }, headers] = mine(Date.now(), [1, 60_000]);
    next = [[status, { data: data.map((hold) => ({ ...hold, companions: [beside(2)] })) }, headers]];
    await basket.find();
    expect(basket.companion).toBe(2);
    await basket.giveBack(basket.items[0]!);
    expect([basket.companion, kept]).toEqual([-1, []]);
  });

  test('is not offered once it turned out to be gone', async () => {
    next = [chair(), problem(409, 'seat_not_available')];
    await basket.pick(1);
    await basket.pick(2);
    expect(basket.companion).toBe(-1);
  });
});

describe('a choice that leaves a seat alone', () => {
  const refused = () => new Problem(409, 'orphan_seats', '', [], { orphans: ['s0'], fixes: [{ kind: 'move', take: ['s0'], leave: ['h2'] }, { kind: 'add', take: ['s0'], leave: [] }] });
  const go = vi.fn(async () => {});
  const choose = async () => {
    go.mockClear();
    next = [held(1), held(2)];
    await basket.pick(1);
    await basket.pick(2);
    expect(basket.offerFixes(refused(), go)).toBe(true);
  };

  test('is no other refusal', () => expect(basket.offerFixes(new Problem(409, 'hold_expired', ''), go)).toBe(false));

  test('is mended with one press, and goes on', async () => {
    await choose();
    expect([said.at(-1), basket.instead!.press, basket.instead!.or!.press]).toEqual(['This would leave a single seat on its own: seat 0.', 'Move to seat 0 instead of 2', 'Add seat 0 · €45.00']);
    next = [held(0)];
    await basket.instead!.take();
    expect([bodies.at(-1), released, basket.items.map(({ ordinal }) => ordinal)]).toEqual([{ reserve: 's0' }, ['h2'], [1, 0]]);
    expect([basket.instead, go.mock.calls.length]).toEqual([null, 1]);
  });

  test('is mended by one more, which gives nothing back', async () => {
    await choose();
    next = [held(0)];
    await basket.instead!.or!.take();
    expect([released, basket.items.length, go.mock.calls.length]).toEqual([[], 3, 1]);
  });

  test('keeps what it has if somebody was faster', async () => {
    await choose();
    next = [problem(409, 'seat_held_by_another_user')];
    await basket.instead!.take();
    expect([released, basket.items.map(({ ordinal }) => ordinal), go.mock.calls.length]).toEqual([[], [1, 2], 0]);
  });

  test('gives back what it took of several, and nothing else', async () => {
    await choose();
    const { more } = refused();
    basket.offerFixes(new Problem(409, 'orphan_seats', '', [], { ...more, fixes: [{ kind: 'move', take: ['s0', 's3'], leave: ['h1', 'h2'] }] }), go);
    next = [held(0), problem(409, 'seat_not_available')];
    await basket.instead!.take();
    expect([released, basket.items.map(({ ordinal }) => ordinal), go.mock.calls.length]).toEqual([['h0'], [1, 2], 0]);
  });
});
