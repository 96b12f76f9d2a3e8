import { describe, expect, it } from 'vitest';
import { billed } from './orders';
import { framer, type Frame } from './follow';
import { parseMoney, parsePercent, writeMoney, writePercent } from './money';
import { current, may, sections } from './rights';
import { fill, find, match } from './router';
import { fromLocal, toLocal, zoneName } from './zoned';

describe('a bill', () => {
  it('counts what costs the same', () => {
    const line = (name: string, amount: number, quantity = 1) => ({ name, amount, quantity, included: false });
    expect(billed([line('Full price', 450), line('Full price', 450), line('Full price', 320), line('Fee', 15, 2)])).toEqual([line('Full price', 900, 2), line('Full price', 320), line('Fee', 15, 2)]);
  });
});

describe('addresses', () => {
  it('name what stands in them', () => {
    expect(match('/events/:id/queue', '/events/17/queue')).toEqual({ id: '17' });
    expect(match('/', '/')).toEqual({});
    expect(match('/events/:id', '/events/a%20b/')).toEqual({ id: 'a b' });
  });
  it('are of no other page', () => {
    expect(match('/events/:id', '/events')).toBeNull();
    expect(match('/events/:id', '/events/17/queue')).toBeNull();
    expect(match('/events', '/orders')).toBeNull();
  });
  it('survive what is no text at all', () => {
    expect(match('/events/:id', '/events/%E0%A4%A')).toEqual({ id: '%E0%A4%A' });
  });
  it('mean the page that says most of them', () => {
    const rows = [{ path: '/events/:id' }, { path: '/events/new' }];
    expect(find(rows, '/events/new')).toEqual({ row: rows[1], params: {} });
    expect(find(rows, '/events/17')).toEqual({ row: rows[0], params: { id: '17' } });
    expect(find(rows, '/nowhere')).toBeNull();
  });
  it('are written as they are read', () => {
    expect(fill('/events/:id/queue', { id: 'a/b' })).toBe('/events/a%2Fb/queue');
    expect(match('/events/:id/queue', fill('/events/:id/queue', { id: 'a/b' }))).toEqual({ id: 'a/b' });
  });
});

describe('rights', () => {
  const rows = [
    { path: '/', title: 'Overview', right: 'events.read', section: 'Insights' },
    { path: '/ledger', title: 'Ledger', right: 'ledger.read', section: 'Sales' },
    { path: '/orders', title: 'Orders', right: 'orders.read', section: 'Sales' },
    { path: '/orders/:id', title: 'Order', right: 'orders.read', section: null },
    { path: '/me', title: 'Me', right: null, section: 'Insights' },
  ];
  const staff = { rights: new Set(['events.read', 'orders.read']) };

  it('hide pages that are not open', () => {
    expect(sections(rows, staff)).toEqual([
      { section: 'Insights', links: [{ path: '/', title: 'Overview' }, { path: '/me', title: 'Me' }] },
      { section: 'Sales', links: [{ path: '/orders', title: 'Orders' }] },
    ]);
  });
  it('leave whoever has none the pages that are everybody’s', () => {
    expect(sections(rows, { rights: new Set() })).toEqual([{ section: 'Insights', links: [{ path: '/me', title: 'Me' }] }]);
    expect(may({ rights: new Set() }, 'events.read')).toBe(false);
  });
  it('mark the page that is open, and its children’s parent', () => {
    const links = sections(rows, staff).flatMap((one) => one.links);
    expect(current(links, '/orders/17')?.title).toBe('Orders');
    expect(current(links, '/')?.title).toBe('Overview');
    expect(current(links, '/ordersheet')).toBeNull();
  });
});

describe('amounts', () => {
  it.each([
    ['12.50', 'EUR', 1250],
    ['12,5', 'EUR', 1250],
    ['12', 'EUR', 1200],
    ['0', 'EUR', 0],
    ['1 234,00', 'EUR', 123400],
    ['1,234.50', 'EUR', 123450],
    ['1.234,50', 'EUR', 123450],
    ['1.234', 'EUR', 123400],
    ['1’234.50', 'CHF', 123450],
    ['500', 'JPY', 500],
    ['1.234', 'KWD', 1234],
  ])('%s in %s is %i', (text, currency, amount) => expect(parseMoney(text, currency)).toBe(amount));
  it.each([
    ['', 'EUR'],
    ['abc', 'EUR'],
    ['-5', 'EUR'],
    ['12.5.5', 'EUR'],
    ['12.5050', 'EUR'],
    ['5.5', 'JPY'],
    ['1e3', 'EUR'],
    ['NaN', 'EUR'],
  ])('“%s” is no amount in %s', (text, currency) => expect(parseMoney(text, currency)).toBeNull());
  it('are written so that they can be read again', () => {
    for (const [amount, currency] of [[0, 'EUR'], [5, 'EUR'], [123450, 'EUR'], [500, 'JPY'], [1234, 'KWD'], [29, 'ZAR']] as const)
      expect(parseMoney(writeMoney(amount, currency), currency)).toBe(amount);
  });
  it('have shares of at most all', () => {
    expect(parsePercent('7,5 %')).toBe(750);
    expect(parsePercent('100')).toBe(10_000);
    expect(parsePercent('100.01')).toBeNull();
    expect(parsePercent('-1')).toBeNull();
    expect(parsePercent(writePercent(1525))).toBe(1525);
  });
});

describe('times on the venue’s clock', () => {
  it('are the same moment both ways', () => {
    expect(toLocal('2030-07-01T18:30:00Z', 'Africa/Johannesburg')).toBe('2030-07-01T20:30');
    expect(fromLocal('2030-07-01T20:30', 'Africa/Johannesburg')).toBe('2030-07-01T18:30:00.000Z');
    expect(fromLocal('2030-01-01T20:30', 'America/New_York')).toBe('2030-01-02T01:30:00.000Z');
  });
  it('follow summer time', () => {
    expect(fromLocal('2030-03-30T20:00', 'Europe/Amsterdam')).toBe('2030-03-30T19:00:00.000Z');
    expect(fromLocal('2030-03-31T20:00', 'Europe/Amsterdam')).toBe('2030-03-31T18:00:00.000Z');
    for (const moment of ['2030-10-27T02:00:00.000Z', '2030-03-31T01:00:00.000Z'])
      expect(fromLocal(toLocal(moment, 'Europe/Amsterdam'), 'Europe/Amsterdam')).toBe(moment);
  });
  it('are a moment even where the clock jumps over them', () => {
    expect(fromLocal('2030-03-31T02:30', 'Europe/Amsterdam')).toMatch(/^2030-03-31T0[01]:30:00/);
  });
  it('may be none', () => {
    expect(fromLocal('', 'UTC')).toBeNull();
    expect(toLocal(null, 'UTC')).toBe('');
    expect(zoneName('America/New_York')).toBe('New York time');
  });
});

describe('a stream', () => {
  it('is the same however it is cut', () => {
    const text = 'retry: 1500\n\nid: 1\nevent: snapshot\ndata: {"a":1}\n\n: quiet\n\nevent: occupancy\ndata: {"b":\ndata: 2}\n\n';
    const whole: Frame[] = [];
    framer((frame) => whole.push(frame))(text);
    const pieces: Frame[] = [];
    const take = framer((frame) => pieces.push(frame));
    for (const letter of text) take(letter);
    expect(pieces).toEqual(whole);
    expect(whole.map((frame) => [frame.event, frame.data, frame.id, frame.retry])).toEqual([
      ['message', null, null, 1500],
      ['snapshot', '{"a":1}', '1', null],
      ['message', null, null, null],
      ['occupancy', '{"b":\n2}', null, null],
    ]);
  });
});
