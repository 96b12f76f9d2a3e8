import { describe, expect, it } from 'vitest';
import { attention } from './attention';
import { ordersFor, ORDERS, ROOMS } from './queue';
import { byStep } from './series';
import { toBody, toForm } from './showform';
import type { LiveGates, QueueRoom, Show } from './types';
import { endOfDay } from './zoned';

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);

describe('numbers over time', () => {
  it('have a nought where nothing was sold', () => {
    const series = byStep([{ at: at('2030-01-01T10:00Z'), value: 3 }], at('2030-01-01T08:30Z'), at('2030-01-01T11:10Z'), 'hour', 'UTC');
    expect(series.values).toEqual([0, 0, 3, 0]);
    expect(series.times[0]).toBe(at('2030-01-01T08:00Z'));
  });
  it('have days that begin at midnight there, summer time or not', () => {
    const zone = 'Europe/Amsterdam';
    const series = byStep([{ at: at('2030-03-31T00:00:00+01:00'), value: 5 }], at('2030-03-29T12:00Z'), at('2030-04-02T12:00Z'), 'day', zone);
    expect(series.values).toEqual([0, 0, 5, 0, 0]);
    expect(series.times.map((time, n) => (n ? (time - series.times[n - 1]!) / HOUR : 0))).toEqual([0, 24, 24, 23, 24]);
    const autumn = byStep([], at('2030-10-26T12:00Z'), at('2030-10-28T12:00Z'), 'day', zone);
    expect((autumn.times[2]! - autumn.times[1]!) / HOUR).toBe(25);
  });
  it('add up what falls into one step', () => {
    expect(byStep([{ at: at('2030-01-01T10:05Z'), value: 1 }, { at: at('2030-01-01T10:50Z'), value: 2 }], at('2030-01-01T10:00Z'), at('2030-01-01T10:59Z'), 'hour', 'UTC').values).toEqual([3]);
  });
  it('end with the day, not in it', () => {
    expect(endOfDay('2030-03-31', 'Europe/Amsterdam')).toBe('2030-03-31T22:00:00.000Z');
    expect(endOfDay('nonsense', 'UTC')).toBeNull();
  });
});

describe('what needs attention', () => {
  const now = at('2030-01-10T12:00Z');
  const show = { event_id: 's', name: 'Show', status: 'live' as const, rescheduled_at: null, start_at: '2030-01-10T19:00Z' };
  const nothing = { shows: [], drafts: [], rooms: new Map(), gates: new Map(), consents: [], now };
  it('is nothing when nothing is the matter', () => {
    expect(attention({ ...nothing, shows: [show] })).toEqual([]);
  });
  it('is what burns, before what waits', () => {
    const gates = { incidents: 2, gates: [{ id: 'g', name: 'North', status: 'open', capacity: 10, inside: 10, entered: 10 }] } as unknown as LiveGates;
    const paused = { state: 'paused', now: { waiting: 7 } } as unknown as QueueRoom;
    const found = attention({ ...nothing, shows: [show], gates: new Map([['s', gates]]), rooms: new Map([['s', paused]]), drafts: [{ id: 'd', name: 'Draft', start_at: '2030-01-12T12:00Z' }] });
    expect(found.map((one) => [one.kind, one.path])).toEqual([['bad', '/events/s/doors'], ['bad', '/events/s/doors'], ['bad', '/events/s/queue'], ['time', '/events/d']]);
  });
  it('is a postponed show without a date, and no draft that is far away', () => {
    const found = attention({ ...nothing, shows: [{ ...show, status: 'postponed' }], drafts: [{ id: 'd', name: 'Far', start_at: '2031-01-01T00:00Z' }] });
    expect(found.map((one) => one.text)).toEqual(['Postponed: no new date yet']);
  });
});

describe('orders to a waiting room', () => {
  it('fit its state, and say what they do', () => {
    expect(ordersFor('closed')).toEqual(['open']);
    expect(ordersFor('open')).toEqual(['pause', 'drain']);
    expect(ordersFor('paused')).toEqual(['resume', 'drain']);
    for (const state of Object.keys(ROOMS) as QueueRoom['state'][]) for (const order of ordersFor(state)) expect(ORDERS[order].told.length).toBeGreaterThan(0);
  });
});

describe('a show as a form', () => {
  const show = {
    name: 'Night', description: 'D', category: 'concert', venue_id: 'v', slug: 'night', timezone: 'Africa/Johannesburg', start_at: '2030-05-01T18:00:00Z', end_at: '2030-05-01T20:00:00Z',
    doors_at: '2030-05-01T17:30:00Z', sale_start_at: '2030-01-01T00:00:00Z', sale_end_at: '2030-05-01T18:00:00Z', capacity: 0, settings: { day_boundary: '05:00', other: 1 }, replaced_by_event_id: null, cover_image_ids: ['p'],
  } as unknown as Show; // prettier-ignore
  it('has the venue’s hours, and says them as moments', () => {
    expect(toForm(show)).toMatchObject({ start_at: '2030-05-01T20:00', capacity: '', day_boundary: '05:00' });
    expect(toBody({ start_at: '2030-05-02T20:00' }, show.timezone, {})).toEqual({ start_at: '2030-05-02T18:00:00.000Z' });
  });
  it('keeps settings that it does not show', () => {
    expect(toBody({ day_boundary: '' }, 'UTC', show.settings)).toEqual({ settings: { other: 1 } });
    expect(toBody({ day_boundary: '06:00' }, 'UTC', show.settings)).toEqual({ settings: { other: 1, day_boundary: '06:00' } });
  });
  it('leaves out what is left open', () => {
    expect(toBody({ slug: '', doors_at: '', capacity: '', replaced_by_event_id: '' }, 'UTC', {})).toEqual({ capacity: 0, replaced_by_event_id: null });
  });
});
