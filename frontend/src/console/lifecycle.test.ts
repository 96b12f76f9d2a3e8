import { describe, expect, it } from 'vitest';
import { checklist, DEEDS, deedsFor, isUnder, STATES } from './lifecycle';
import { changes, merge } from './merge';
import type { Move, Show, Status } from './types';

const OWNER = new Set(['events.publish', 'events.cancel', 'events.update']);
const STAFF = new Set(['events.read', 'events.update']);
const show = (status: Show['status'], moves: Move[], rescheduled_at: string | null = null) => ({ status, moves, rescheduled_at });

describe('deeds', () => {
  it('are only those that the status allows', () => {
    expect(deedsFor(show('draft', ['publish', 'cancel', 'archive']), OWNER)).toEqual(['publish', 'cancel', 'archive']);
    expect(deedsFor(show('archived', []), OWNER)).toEqual([]);
  });
  it('are only those that the person may do', () => {
    expect(deedsFor(show('published', ['unpublish', 'start', 'postpone', 'cancel']), STAFF)).toEqual([]);
    expect(deedsFor(show('published', ['unpublish', 'start', 'postpone', 'cancel']), new Set(['events.publish']))).toEqual(['start', 'unpublish']);
  });
  it('wait for the new date of a postponed show', () => {
    const moves: Move[] = ['reschedule', 'publish', 'start', 'cancel'];
    expect(deedsFor(show('postponed', moves), OWNER)).toEqual(['reschedule', 'cancel']);
    expect(deedsFor(show('postponed', moves, '2030-01-01T00:00:00Z'), OWNER)).toEqual(['publish', 'start', 'reschedule', 'cancel']);
  });
  it('say what will happen, and ask why where people are told', () => {
    for (const deed of Object.values(DEEDS)) expect(deed.told.length).toBeGreaterThan(0);
    expect(DEEDS.cancel).toMatchObject({ reason: 'needed', danger: true });
    expect(DEEDS.postpone).toMatchObject({ reason: 'needed', date: 'wanted' });
    expect(DEEDS.reschedule.date).toBe('needed');
  });
});

describe('what a draft lacks', () => {
  const draft = { id: '1', cover_image_ids: [], end_at: '2030-01-02T00:00:00Z', sale_end_at: '2030-01-01T00:00:00Z' } as unknown as Show;
  const before = Date.parse('2029-12-01T00:00:00Z');
  it('is named, and the picture is not needed: a generated poster stands in', () => {
    const open = checklist(draft, { layout: false, types: 0 }, before).filter((check) => !check.done);
    expect(open.map((check) => [check.text.split(' ')[1], check.needed])).toEqual([['picture.', false], ['layout', false], ['least', false]]);
  });
  it('is nothing once all is there', () => {
    const whole = { ...draft, cover_image_ids: ['x'] };
    expect(checklist(whole, { layout: true, types: 2 }, before).every((check) => check.done)).toBe(true);
    expect(checklist(whole, { layout: true, types: 2 }, Date.parse('2031-01-01T00:00:00Z')).filter((check) => !check.done)).toHaveLength(2);
  });
});

describe('two people at one form', () => {
  const read = { name: 'A', doors: '19:00', pictures: ['x'] };
  it('do not lose what the second has typed', () => {
    const merged = merge(read, { ...read, name: 'Mine' }, { ...read, doors: '18:30' });
    expect(merged).toEqual({ form: { name: 'Mine', doors: '18:30', pictures: ['x'] }, theirs: ['doors'], both: [] });
  });
  it('see where they have both been', () => {
    const merged = merge(read, { ...read, name: 'Mine' }, { ...read, name: 'Theirs' });
    expect(merged).toMatchObject({ form: { name: 'Mine' }, theirs: ['name'], both: ['name'] });
    expect(merge(read, { ...read, name: 'Same' }, { ...read, name: 'Same' }).both).toEqual([]);
  });
  it('send only what they have changed', () => {
    expect(changes(read, { ...read, pictures: ['x'] })).toEqual({});
    expect(changes(read, { ...read, pictures: ['y'], name: 'A' })).toEqual({ pictures: ['y'] });
  });
});

describe('a tab of the list', () => {
  const under = (tab: Parameters<typeof isUnder>[0]) => (Object.keys(STATES) as Status[]).filter((status) => isUnder(tab, status));
  it('has what it was asked for, so that a show that is over leaves those ahead', () => {
    expect(under('ahead')).toEqual(['draft', 'published', 'live', 'postponed']);
    expect(under('cancelled')).toEqual(['cancelled']);
    expect(under('all')).toEqual(Object.keys(STATES));
  });
});
