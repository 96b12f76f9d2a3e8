import 'fake-indexeddb/auto';
import { beforeEach, describe, expect, it } from 'vitest';
import sample from '../../../tests/scanning/sample.json';
import { fromBase64 } from './bytes';
import { type Decision, Log, type Wish } from './log';
import { NEVER, after } from './policy';
import { Sheets, next } from './sheets';
import { type Shelf, forget, openShelf } from './shelf';

const wish = (code: string, more: Partial<Wish> = {}): Wish => ({ brought: { code }, direction: 'in', gateId: 'a', test: false, override: null, ...more });
const step = { direction: 'in', day: '2026-06-20', now: 1, gate: 'a' } as const;
const admitted = (code: string, more: Partial<Decision> = {}): Decision => ({
  admitted: true, reason: null, day: '2026-06-20', code, label: '', presence: after(NEVER, step), move: { by: 1, gate: 'a', zone: 'z' }, scanId: null, ...more, // prettier-ignore
});

let shelf: Shelf;
let log: Log;
let number = 0;

beforeEach(async () => {
  shelf = await openShelf(`gate-${++number}`);
  log = await Log.load(shelf);
});

async function scanned(code: string, state: 'waits' | 'told' = 'waits', more: Partial<Decision> = {}, wished: Partial<Wish> = {}) {
  return log.settle(await log.begin(wish(code, wished), 1000), admitted(code, more), state);
}

describe('the log of scans', () => {
  it('numbers them upwards, also after the page was closed', async () => {
    await scanned('A');
    await scanned('B');
    const again = await Log.load(shelf);
    const third = await again.begin(wish('C'), 1000);
    expect([third.counter, again.waiting, again.tally.in]).toEqual([3, 2, 2]);
    expect((await again.untold(10)).map((entry) => [entry.counter, entry.decision?.code])).toEqual([[1, 'A'], [2, 'B']]); // prettier-ignore
  });

  it('writes a scan down before its verdict, and gives its number again to the same one only', async () => {
    const asked = await log.begin(wish('A'), 1000);
    expect((await shelf.getAll('scans')).map((entry) => [entry.counter, entry.state])).toEqual([[1, 'asked']]);
    expect((await log.begin(wish('A'), 2000)).counter).toBe(asked.counter);
    expect((await log.begin(wish('A', { direction: 'out' }), 2000)).counter).toBe(2);
    expect(await shelf.getAllKeys('scans')).toEqual([2]); // nobody heard of the first
    expect((await log.begin(wish('A', { direction: 'out' }), 100_000)).counter).toBe(3);
    expect(await log.untold(10)).toEqual([]);
  });

  it('remembers whom it let in until a snapshot has it', async () => {
    await scanned('A', 'told');
    await scanned('B');
    expect([log.presence('A')?.inside, log.inside('gate', 'a'), log.inside('zone', 'z'), log.inside('gate', 'b')]).toEqual([true, 2, 2, 0]);
    await log.cover(log.told());
    expect([log.presence('A'), log.presence('B')?.inside, log.inside('gate', 'a')]).toEqual([null, true, 1]);
    await log.tell(await log.untold(10));
    expect([log.waiting, log.presence('B')?.inside]).toEqual([0, true]);
    expect((await log.recent()).map((entry) => [entry.counter, entry.state])).toEqual([[2, 'told'], [1, 'settled']]); // prettier-ignore
  });

  it('keeps what came after the house was told, when a snapshot covers the rest', async () => {
    await scanned('A', 'told');
    const covered = log.told();
    await scanned('A', 'told', { presence: { ...after(NEVER, step), inside: false } });
    await log.cover(covered);
    expect(log.presence('A')?.inside).toBe(false);
  });

  it('counts neither tests nor refusals, and begins anew with the day', async () => {
    await scanned('A', 'waits', {}, { test: true });
    await scanned('B', 'waits', { admitted: false, reason: 'unknown', presence: null, move: null });
    await scanned('C');
    await scanned('C', 'waits', {}, { direction: 'out' });
    expect(log.tally).toEqual({ day: '2026-06-20', in: 1, out: 1 });
    await scanned('D', 'waits', { day: '2026-06-21' });
    expect(log.tally).toEqual({ day: '2026-06-21', in: 1, out: 0 });
  });

  it('takes a scan back: told as nobody who came in, and the ticket is as before', async () => {
    const entry = await scanned('A');
    await log.undo(entry, 'Wrong ticket');
    const [told] = await log.untold(10);
    expect([told?.decision?.admitted, told?.decision?.reason, told?.undone]).toEqual([false, 'undone', 'Wrong ticket']);
    expect([log.presence('A'), log.inside('gate', 'a'), log.tally.in, log.waiting]).toEqual([null, 0, 0, 1]);
  });

  it('marks one that the house would not take, and does not send it again', async () => {
    const entry = await scanned('A');
    await log.tell([entry], 'Not a time of this device.');
    expect([await log.untold(10), (await log.recent())[0]?.refused]).toEqual([[], 'Not a time of this device.']);
  });

  it('is empty once the device is given back', async () => {
    await scanned('A');
    await forget(shelf);
    expect([(await Log.load(shelf)).waiting, await shelf.getAllKeys('kept')]).toEqual([0, []]);
  });
});

describe('the snapshots', () => {
  const keys = async () => ({
    deviceId: sample.device,
    key: await crypto.subtle.importKey('raw', fromBase64(sample.key), 'AES-GCM', false, ['decrypt']),
    verifyKey: fromBase64(sample.verify_key),
  });

  it('come whole first, then what changed, and are there after a restart', async () => {
    const sheets = new Sheets(shelf, await keys());
    const asked: (number | null)[] = [];
    const answer = (text: string) => (since: number | null) => {
      asked.push(since);
      return Promise.resolve(fromBase64(text));
    };
    expect(await sheets.refresh(answer(sample.whole))).toBe(true);
    expect(await sheets.refresh(answer(sample.changes))).toBe(true);
    expect([asked, sheets.current?.size]).toEqual([[null, sample.now], 3]);
    const again = new Sheets(shelf, await keys());
    await again.load();
    expect([again.current?.size, again.current?.header.version]).toEqual([3, sample.now + 60_000]);
  });

  it('are not taken from anybody else, and what was there stays', async () => {
    const sheets = new Sheets(shelf, await keys());
    await sheets.refresh(() => Promise.resolve(fromBase64(sample.whole)));
    const forged = fromBase64(sample.changes);
    forged[80]! ^= 1;
    expect(await sheets.refresh(() => Promise.resolve(forged))).toBe(false);
    expect(await sheets.refresh(() => Promise.resolve(fromBase64(sample.whole)))).toBe(false); // not what was asked for
    expect([sheets.current?.size, (await shelf.getAll('sheets')).length]).toEqual([2, 1]);
    const stranger = new Sheets(shelf, { ...(await keys()), deviceId: '00000000-0000-0000-0000-000000000009' });
    await stranger.load();
    expect([stranger.current, await shelf.getAll('sheets')]).toEqual([null, []]);
  });

  it('are asked for as one change when there are many, and whole when half of the house changed', () => {
    const change = (n: number, tickets: number) => ({ version: 100 + n, since: 99 + n, tickets });
    const whole = { version: 100, since: null, tickets: 1000 };
    const many = (tickets: number) => [whole, ...Array.from({ length: 30 }, (_, n) => change(n + 1, tickets))];
    expect(next([])).toEqual({ since: null, replaces: 0 });
    expect(next([whole, change(1, 5)])).toEqual({ since: 101, replaces: null });
    expect(next(many(2))).toEqual({ since: 100, replaces: 101 });
    expect(next(many(20))).toEqual({ since: null, replaces: 0 });
    expect(next([change(1, 5)])).toEqual({ since: null, replaces: 0 });
  });
});
