import { describe, expect, it } from 'vitest';
import { changes, families, isKnown, sameDay, whose, why } from './entries';
import { t } from '../words/audit';

describe('the audit for people', () => {
  it('puts both sides of a change beside each other', () => {
    expect(changes({ before: { status: 'draft', start_at: null }, after: { status: 'published', capacity: 3 } })).toEqual([
      { field: 'status', before: 'draft', after: 'published' },
      { field: 'start at', before: 'none', after: '' },
      { field: 'capacity', before: '', after: '3' },
    ]);
    expect(changes({ before: null, after: null })).toEqual([]);
  });

  it('cuts long lists short, and says so', () => {
    const [row] = changes({ before: null, after: { seat_ids: Array.from({ length: 20 }, (_, n) => `s${n}`) } });
    expect(row!.after).toMatch(/^s0, .* s11 … and 8 more$/);
  });

  it('has every action once, by what it belongs to', () => {
    const all = families();
    expect(all.filter((one) => !one.deeds.length)).toEqual([]);
    expect(all.flatMap((one) => one.deeds.map((deed) => deed.code)).sort()).toEqual(Object.keys(t.actions).sort());
    const shows = all.find((one) => one.code === 'event')!;
    expect(shows.all).toBe('event.*');
    expect(shows.deeds).toContainEqual({ code: 'event.publish', name: 'Event published' });
    expect(all.find((one) => one.code === 'seat_')).toMatchObject({ all: null, deeds: [{ code: 'seat_hold_expired' }, { code: 'seat_reserve_failed' }, { code: 'seat_reserved' }] });
  });

  it('says who it was, and what of the house', () => {
    expect(whose({ actor_type: 'system', actor_name: 'sweeper' })).toBe('Clean-up of expired holds');
    expect(whose({ actor_type: 'user', actor_name: 'sweeper' })).toBe('sweeper');
    expect(whose({ actor_type: 'device', actor_name: null })).toBeNull();
  });

  it('leaves what a person wrote, and says a code as words', () => {
    expect(why({ action: 'event.cancel', after: null, reason: 'Storm_warning from the harbour' })).toBe('Storm_warning from the harbour');
    expect(why({ action: 'payment.failed', after: null, reason: 'card_declined' })).toBe('card declined');
    expect(why({ action: 'access.denied', after: { code: 'forbidden' }, reason: 'Your role does not include this.' })).toBe('Your role does not include this.');
    expect(why({ action: 'event.publish', after: null, reason: null })).toBe('');
  });

  it('knows what an address may ask for', () => {
    expect(['event.*', 'event.publish', 'seat_reserved', null].map(isKnown)).toEqual([true, true, true, true]);
    expect(['event.pub', 'e.*', 'seats'].map(isKnown)).toEqual([false, false, false]);
  });

  it('knows days by the house’s own clock', () => {
    expect(sameDay('2027-01-01T21:59:00Z', '2027-01-01T22:01:00Z', 'Africa/Johannesburg')).toBe(false);
    expect(sameDay('2027-01-01T21:59:00Z', '2027-01-01T22:01:00Z', 'UTC')).toBe(true);
  });
});
