import 'fake-indexeddb/auto';
import { beforeEach, describe, expect, it } from 'vitest';
import { Log } from './log';
import { type Device, type Shelf, openShelf } from './shelf';
import { batch } from './line';
import { asFile, bringBack, endOf, expire, strand, stranded } from './stranded';

const device = (eventId: string, ...gates: string[]) => ({ id: `of-${eventId}`, name: 'Phone', eventId, organization: 'harbour', token: 't', rights: [], gates: gates.map((id) => ({ id, name: id })) }) as unknown as Device; // prettier-ignore
const admitted = { admitted: true, reason: null, day: '2026-06-20', code: 'A', label: '', presence: null, move: null, scanId: null };

// SHA-256 of `former pairing:` and SHA-256 of the token, `t`: as tests/scanning/helpers.py makes it.
const PROOF = '1FP78yPZqWFv5EL7W1N6ZWTwGWpXgBephuQDcjQtCMc=';

let shelf: Shelf;
let number = 0;

beforeEach(async () => {
  shelf = await openShelf(`stranded-${++number}`);
});

async function scanned(state: 'waits' | 'told', gateId = 'north') {
  const log = await Log.load(shelf);
  return log.settle(await log.begin({ brought: { code: 'A' }, direction: 'in', gateId, test: false, override: null }, 1000), admitted, state);
}

describe('scans that were not told when the pairing ended', () => {
  it('are all that stays of it, and nothing stays if there are none', async () => {
    await shelf.put('kept', device('tempest'), 'device');
    await scanned('told');
    expect(await strand(shelf, device('tempest'), 'The Tempest')).toEqual([]);
    expect([await shelf.getAllKeys('kept'), await shelf.getAllKeys('scans')]).toEqual([[], []]);
    await scanned('told');
    await scanned('waits');
    await strand(shelf, device('tempest'), 'The Tempest');
    expect([await shelf.getAllKeys('kept'), await shelf.getAllKeys('scans')]).toEqual([['clockOff', 'counter', 'stranded'], []]);
    expect((await stranded(shelf)).map(({ show, entries }) => [show, entries.map((entry) => entry.counter)])).toEqual([['The Tempest', [2]]]);
  });

  it('are told by the next pairing of their show, under numbers that nobody uses again', async () => {
    await scanned('waits');
    await scanned('waits', 'south');
    await strand(shelf, device('tempest'), 'The Tempest');
    expect(await bringBack(shelf, device('tempest', 'north'))).toEqual([]);
    const log = await Log.load(shelf);
    expect(log.waiting).toBe(2);
    expect((await log.untold(10)).map((entry) => [entry.counter, entry.gateId])).toEqual([[1, 'north'], [2, 'south']]); // prettier-ignore
    expect((await scanned('waits')).counter).toBe(3);
  });

  it('wait on while the device works for another show', async () => {
    await scanned('waits');
    await strand(shelf, device('tempest'), 'The Tempest');
    expect((await bringBack(shelf, device('hamlet', 'north'))).map((one) => one.show)).toEqual(['The Tempest']);
    expect((await Log.load(shelf)).waiting).toBe(0);
    await scanned('waits');
    expect((await strand(shelf, device('hamlet'), 'Hamlet')).map((one) => one.show)).toEqual(['The Tempest', 'Hamlet']);
  });

  it('are saved as the house takes them', async () => {
    await scanned('waits');
    const [show] = JSON.parse(await asFile(await strand(shelf, device('tempest'), 'The Tempest'), 5000, '1').text());
    expect([show.organization, show.event_id, show.device_now]).toEqual(['harbour', 'tempest', '1970-01-01T00:00:05.000Z']);
    expect(show.scans).toEqual([{ code: 'A', direction: 'in', test: false, gate_id: 'north', admitted: true, reason: null, counter: 1, at: '1970-01-01T00:00:01.000Z', device_id: 'of-tempest' }]);
    expect(show.former).toEqual([{ device_id: 'of-tempest', proof: PROOF }]);
  });

  it('are told under the pairing that saw them, however often the device is paired anew', async () => {
    await scanned('waits');
    await strand(shelf, device('tempest'), 'The Tempest');
    await bringBack(shelf, { ...device('tempest', 'north'), id: 'second', token: 'u' });
    await scanned('waits');
    await strand(shelf, { ...device('tempest'), id: 'second', token: 'u' }, 'The Tempest');
    await bringBack(shelf, { ...device('tempest', 'north'), id: 'third', token: 'v' });
    await scanned('waits');
    const told = batch(await (await Log.load(shelf)).untold(10), 5000, null, '1') as { scans: { counter: number; device_id?: string }[]; former: { device_id: string; proof: string }[] };
    expect(told.scans.map(({ counter, device_id }) => [counter, device_id])).toEqual([[1, 'of-tempest'], [2, 'second'], [3, undefined]]); // prettier-ignore
    expect(told.former.map(({ device_id }) => device_id)).toEqual(['of-tempest', 'second']);
    expect(told.former[0]!.proof).toBe(PROOF);
    expect(JSON.stringify(await stranded(shelf))).not.toContain('"token"');
  });

  it('keep a gate of their own time only if they say whose it was', async () => {
    await scanned('waits', 'south');
    const [old] = await strand(shelf, device('tempest'), 'The Tempest');
    const { former: _, ...entry } = old!.entries[0]!; // as it was kept before there were names
    await shelf.put('kept', [{ ...old!, entries: [entry] }], 'stranded');
    await bringBack(shelf, device('tempest', 'north'));
    const [told] = await (await Log.load(shelf)).untold(10);
    expect([told!.gateId, told!.former]).toEqual(['', undefined]);
  });
});

describe('what nobody needs any more', () => {
  const DAY = 86_400_000;

  it('is kept until thirty days after the show, or after its last scan', async () => {
    await scanned('waits'); // at one second
    const [one] = await strand(shelf, device('tempest'), 'The Tempest', 10 * DAY);
    expect([endOf(one!), endOf({ ...one!, over: 0 }), endOf({ ...one!, entries: [] })]).toEqual([40 * DAY, 1000 + 30 * DAY, 40 * DAY]);
    expect(await expire(shelf, 40 * DAY - 1)).toEqual([]);
    expect(await stranded(shelf)).toHaveLength(1);
    expect((await expire(shelf, 40 * DAY)).map(({ show }) => show)).toEqual(['The Tempest']);
    expect([await shelf.getAllKeys('kept'), await shelf.getAllKeys('scans')]).toEqual([[], []]);
  });

  it('takes nothing else with it', async () => {
    await scanned('waits');
    await strand(shelf, device('tempest'), 'The Tempest', DAY);
    await bringBack(shelf, device('hamlet', 'north'));
    await scanned('waits');
    await strand(shelf, device('hamlet'), 'Hamlet', 20 * DAY);
    await bringBack(shelf, device('lear', 'north'));
    await scanned('waits');
    expect((await expire(shelf, 31 * DAY)).map(({ show }) => show)).toEqual(['The Tempest']);
    expect((await stranded(shelf)).map(({ show }) => show)).toEqual(['Hamlet']);
    expect((await expire(shelf, 60 * DAY)).map(({ show }) => show)).toEqual(['Hamlet']);
    expect(await stranded(shelf)).toEqual([]);
    expect((await Log.load(shelf)).waiting).toBe(1);
  });
});
