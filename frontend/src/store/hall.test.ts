// The states of the seats: what is read, what is told, and what could fall between the two.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Api } from '../lib/api';
import type { SeatMap } from '../lib/map/seatmap';
import { Hall } from './hall.svelte';

let tell: (name: string, data: object) => void;
let reads: ((version: string) => void)[]; // each answers one read of the states
let hall: Hall;
const told = vi.fn();
const begin = (version: string, zones: object[] = []) => tell('snapshot', { seats: { layout_id: 'l1', version, occupancy: { zones } } });
const map = { version: '', geometry: { zones: [], sections: [], price: new Uint8Array(), prices: [] }, setStates: (_states: Uint8Array, version: string) => void (map.version = version), setPlaces: () => {}, freeByPrice: () => [], stop: () => {} };

beforeEach(() => {
  reads = [];
  map.version = '';
  const listeners = new Map<string, (event: { data: string }) => void>();
  tell = (name, data) => listeners.get(name)!({ data: JSON.stringify(data) });
  vi.stubGlobal('EventSource', class {
    addEventListener = (name: string, listener: (event: { data: string }) => void) => listeners.set(name, listener);
    close = () => {};
  });
  vi.stubGlobal('fetch', async (path: string) => {
    if (!path.endsWith('/availability')) return new Response(JSON.stringify({ data: { zones: [] } }));
    return new Promise((answer) => reads.push((version) => answer(new Response('', { headers: { etag: `"${version}"` } }))));
  });
  hall = new Hall(new Api(), 'e1', 'l1');
  told.mockClear();
  void hall.load(told);
  void hall.ready(map as unknown as SeatMap);
});

afterEach(() => {
  hall.close();
  vi.useRealTimers();
});

test('what changed between a read and the beginning of the line is read again', async () => {
  begin('x-8');
  reads[0]!('x-7');
  await vi.waitFor(() => expect(reads).toHaveLength(2));
  reads[1]!('x-8');
  await vi.waitFor(() => expect(map.version).toBe('x-8'));
});

test('states that are as new as the line are read once', async () => {
  begin('x-7');
  reads[0]!('x-7');
  await vi.waitFor(() => expect(map.version).toBe('x-7'));
  await new Promise((go) => setTimeout(go, 20));
  expect(reads).toHaveLength(1);
});

test('a line that begins anew has them read again, if anything was missed', async () => {
  reads[0]!('x-7');
  await vi.waitFor(() => expect(map.version).toBe('x-7'));
  await new Promise((go) => setTimeout(go, 20));
  begin('x-7');
  expect(reads).toHaveLength(1);
  begin('x-8');
  expect(reads).toHaveLength(2);
});

test('a line that begins anew in another memory of the house has them read again', async () => {
  reads[0]!('x-7');
  await vi.waitFor(() => expect(map.version).toBe('x-7'));
  await new Promise((go) => setTimeout(go, 20));
  begin('y-7');
  expect(reads).toHaveLength(2);
});

test('a line that begins anew says how full it is now', async () => {
  reads[0]!('x-7');
  await vi.waitFor(() => expect(map.version).toBe('x-7'));
  await new Promise((go) => setTimeout(go, 20));
  const places = vi.spyOn(map, 'setPlaces');
  begin('x-7');
  expect(places).toHaveBeenCalledOnce();
});

test('the map is there once its states are known', async () => {
  await new Promise((go) => setTimeout(go, 20));
  expect(hall.geometry).toBeNull();
  reads[0]!('x-7');
  await vi.waitFor(() => expect(hall.geometry).not.toBeNull());
});

test('where the states cannot be read, the map is there, and the line is called lost', async () => {
  vi.stubGlobal('fetch', async (path: string) => (path.includes('/seatmap') ? new Response('') : new Response('{}', { status: 503 })));
  const one = new Hall(new Api(), 'e1', 'l1');
  await one.load(told);
  expect([one.hasMap, one.line]).toEqual([true, 'lost']);
  one.close();
});

test('what is offered is asked for again when the line begins, once, and not by everybody at the same moment', () => {
  vi.useFakeTimers();
  begin('x-7');
  begin('x-8');
  expect(told).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2000);
  expect(told.mock.calls).toEqual([[]]);
});

test('who has left asks for nothing', () => {
  vi.useFakeTimers();
  begin('x-7');
  hall.close();
  vi.advanceTimersByTime(2000);
  expect(told).not.toHaveBeenCalled();
});

test('a zone has the name and the price that the show gives it, in the plan and for its seats', async () => {
  const zone = (key: string, price: number) => ({ key, name: key, price });
  const geometry = {
    zones: [zone('stalls', -1), zone('floor', 0)],
    sections: [{ zone: 0, first: 0, end: 2 }],
    price: Uint8Array.from([0, 1, 1]),
    prices: [['A'], ['B'], ['C']],
  };
  const read = (...rows: object[]) => {
    vi.stubGlobal('fetch', async (path: string) => (path.endsWith('/availability') ? new Response('') : new Response(JSON.stringify({ data: { zones: rows } }))));
    return one.ready({ ...map, geometry } as unknown as SeatMap);
  };
  const one = new Hall(new Api(), 'e1', 'l1');
  await read({ key: 'stalls', zone_id: 'z1', name: 'Parterre', priced_as: 'C' }, { key: 'floor', zone_id: 'z2', name: 'Pit', priced_as: 'B' });
  expect([...geometry.price]).toEqual([2, 2, 1]);
  expect(geometry.zones.map(({ name, price }) => [name, price])).toEqual([['Parterre', 2], ['Pit', 1]]);
  expect([one.zoneId(1), one.zoneName('z2'), one.zoneOf(-1, 'z2'), one.categoryOf(-1, 'floor')]).toEqual(['z2', 'Pit', 'floor', 'B']);
  await read({ key: 'stalls', zone_id: 'z1', name: 'stalls', priced_as: null });
  expect([...geometry.price]).toEqual([0, 1, 1]);
  expect(geometry.zones.map(({ name, price }) => [name, price])).toEqual([['stalls', -1], ['floor', 0]]);
});

test('what a place costs at least is heard', () => {
  tell('least', { amount: 1900, currency: 'EUR' });
  expect(hall.least).toEqual({ amount: 1900, currency: 'EUR' });
});

test('states that are here before the map wait for it, with what is told meanwhile', async () => {
  const one = new Hall(new Api(), 'e1', 'l1');
  const apply = vi.fn();
  void one.load(told);
  reads[1]!('x-7');
  await new Promise((go) => setTimeout(go, 20));
  tell('delta', { version: 'x-8', ordinals: [3], states: [2] });
  void one.ready({ ...map, version: 'x-7', setStates: () => {}, apply } as unknown as SeatMap);
  await vi.waitFor(() => expect(apply).toHaveBeenCalledWith({ version: 'x-8', ordinals: [3], states: [2] }));
  one.close();
});

test('a show without seats asks for none', async () => {
  const one = new Hall(new Api(), 'e1', '');
  const asked = vi.fn(fetch);
  vi.stubGlobal('fetch', asked);
  await one.load(told);
  tell('snapshot', { seats: null });
  expect([one.hasMap, asked.mock.calls]).toEqual([false, []]);
  one.close();
});

test('the line is called live only once it stands', () => {
  expect(hall.line).toBe('opening');
  begin('x-7');
  expect(hall.line).toBe('open');
});

// --- what could fall between a read and the line

const PIT = { key: 'pit', name: 'Pit', zone_id: 'z1', price: -1, isOpen: true };
const places = (available: number) => [{ ...PIT, available }];

function pitOf(one: Hall) {
  const left = vi.fn();
  vi.stubGlobal('fetch', async (path: string) => {
    if (path.includes('/seatmap')) return new Response('');
    if (path.endsWith('/occupancy')) return new Response(JSON.stringify({ data: { zones: places(100) } }));
    return new Promise((answer) => reads.push((version) => answer(new Response('', { headers: { etag: `"${version}"` } }))));
  });
  void one.load(told);
  void one.ready({ ...map, version: '', geometry: { ...map.geometry, zones: [PIT] }, setPlaces: left } as unknown as SeatMap);
  return left;
}

test.each([
  ['began with', () => begin('x-7', places(40))],
  ['said', () => tell('occupancy', { zones: places(40) })],
])('what the line %s of places is newer than what was being read', async (_how, speak) => {
  const one = new Hall(new Api(), 'e1', 'l1');
  const left = pitOf(one);
  speak();
  reads.at(-1)!('x-7');
  await vi.waitFor(() => expect(left).toHaveBeenLastCalledWith(new Map([[0, 40]])));
  one.close();
});

test('what another memory of the house told during a read is taken, and read again', async () => {
  vi.useFakeTimers();
  const one = new Hall(new Api(), 'e1', 'l1');
  const apply = vi.fn();
  void one.load(told);
  void one.ready({ ...map, version: 'a-1', setStates: () => {}, apply } as unknown as SeatMap);
  tell('delta', { version: 'b-9', ordinals: [3], states: [2] });
  reads.at(-1)!('a-1');
  await vi.advanceTimersByTimeAsync(50);
  expect(apply).toHaveBeenCalledOnce();
  const before = reads.length;
  await vi.advanceTimersByTimeAsync(1100);
  expect(reads.length).toBe(before + 1);
  one.close();
});

test('a plan that is another one now is loaded', async () => {
  const paths: string[] = [];
  const real = fetch;
  vi.stubGlobal('fetch', (path: string) => (paths.push(path), real(path)));
  tell('snapshot', { seats: { layout_id: 'l2', version: 'y-1', occupancy: { zones: [] } } });
  await vi.waitFor(() => expect(paths).toContain('/api/events/e1/seatmap?layout=l2'));
  tell('snapshot', { seats: null });
  await vi.waitFor(() => expect(hall.hasMap).toBe(false));
});

test('tried again, a map that is there stays', async () => {
  reads[0]!('x-7');
  await vi.waitFor(() => expect(hall.hasMap).toBe(true));
  void hall.load(told);
  expect([hall.hasMap, hall.geometry]).toEqual([true, expect.any(ArrayBuffer)]);
});

test('a plan that is another one while the first is being read is loaded, too', async () => {
  const one = new Hall(new Api(), 'e1', 'l1');
  void one.load(told);
  await vi.waitFor(() => expect(reads).toHaveLength(2));
  tell('snapshot', { seats: { layout_id: 'l2', version: 'y-1', occupancy: { zones: [] } } });
  reads[1]!('x-7');
  await vi.waitFor(() => expect(reads).toHaveLength(3));
  expect(one.hasMap).toBeNull(); // the first plan is not shown under the second one's seats
  reads[2]!('y-1');
  await vi.waitFor(() => expect(one.hasMap).toBe(true));
  one.close();
});

test('a line that ends and comes back is no outage; one that fails to come back is, and its end is told for a while', async () => {
  vi.useFakeTimers();
  const sources: { onopen?: () => void; onerror?: () => void; readyState: number }[] = [];
  vi.stubGlobal('EventSource', class {
    readyState = 0;
    addEventListener = () => {};
    close = () => {};
    constructor() {
      sources.push(this);
    }
  });
  const one = new Hall(new Api(), 'e1', '');
  void one.load(told);
  const [source] = sources;
  source!.onopen!();
  source!.onerror!();
  source!.onopen!();
  expect(one.outage).toBe('none');
  source!.onerror!();
  source!.onerror!();
  expect(one.outage).toBe('lost');
  source!.onopen!();
  expect(one.outage).toBe('over');
  await vi.advanceTimersByTimeAsync(4900);
  expect(one.outage).toBe('over');
  await vi.advanceTimersByTimeAsync(200);
  expect(one.outage).toBe('none');
  one.close();
});

test('a companion seat that is reserved for me is free on my map, whatever is told of it', async () => {
  const states = Uint8Array.from([0, 3, 3]);
  const apply = vi.fn(({ ordinals, states: now }: { ordinals: number[]; states: number[] }) => ordinals.forEach((n, i) => (states[n] = now[i]!)));
  hall.map = { ...map, states, apply, mine: new Set() } as unknown as SeatMap;
  hall.keep([1]);
  expect([...states]).toEqual([0, 0, 3]);
  expect([1, 2].map((n) => hall.state(n))).toEqual(['reserved for you', 'not for sale']);
  hall.keep([]);
  expect(hall.state(1)).toBe('available');
});
