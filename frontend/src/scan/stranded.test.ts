import 'fake-indexeddb/auto';
import { beforeEach, describe, expect, it } from 'vitest';
import { Log } from './log';
import { type Device, type Shelf, openShelf } from './shelf';
import { asFile, bringBack, strand, stranded } from './stranded';

const device = (eventId: string, ...gates: string[]) => ({ id: `of-${eventId}`, name: 'Phone', eventId, organization: 'harbour', token: 't', rights: [], gates: gates.map((id) => ({ id, name: id })) }) as unknown as Device; // prettier-ignore
const admitted = { admitted: true, reason: null, day: '2026-06-20', code: 'A', label: '', presence: null, move: null, scanId: null };

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
    expect((await log.untold(10)).map((entry) => [entry.counter, entry.gateId])).toEqual([[1, 'north'], [2, '']]); // prettier-ignore
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
    expect(show.scans).toEqual([{ code: 'A', direction: 'in', test: false, gate_id: 'north', admitted: true, reason: null, counter: 1, at: '1970-01-01T00:00:01.000Z' }]);
  });
});
