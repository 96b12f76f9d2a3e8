import { beforeAll, describe, expect, it } from 'vitest';
import sample from '../../../tests/scanning/sample.json';
import { fromBase64 } from './bytes';
import { Finder } from './finder';
import { type Seen, judge, presenceAt } from './judge';
import type { Brought } from './qr';
import { type Keys, type Sheet, open } from './sheet';

// What the server sealed: python -m tests.scanning.sample
const [FIRST, SECOND, THIRD] = ['23456789', 'ABCDEFGH', 'ZZZZZZZZ'] as const;
const PASSED_ON = 'PASSED22'; // what the first has once it has changed hands
const NOTHING: Seen = { presence: () => null, inside: () => 0 };
let keys: Keys;
let sheet: Sheet;
let later: Sheet;

async function opened(text: string, mine: Partial<Keys> = {}): Promise<Sheet | null> {
  return open(fromBase64(text), { ...keys, ...mine });
}

async function imported(raw: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['decrypt']);
}

beforeAll(async () => {
  keys = { deviceId: sample.device, key: await imported(fromBase64(sample.key)), verifyKey: fromBase64(sample.verify_key) };
  sheet = (await opened(sample.whole))!;
  later = sheet.with((await opened(sample.changes))!);
});

describe('a snapshot', () => {
  it('is opened by its device, and has what the server packed', () => {
    expect([sheet.size, sheet.header.event.name, sheet.header.tickets]).toEqual([2, 'Harbour Lights', 2]);
    const row = sheet.findCode(SECOND);
    expect(presenceAt(sheet, row)).toEqual({ inside: true, day: '2026-06-20', entriesToday: 1, entries: 1, at: Date.parse('2026-06-20T19:02:00Z'), gate: 'g-a' });
    expect(sheet.findCode(THIRD)).toBe(-1);
    expect(sheet.findCode('I do not')).toBe(-1);
  });

  it('is not opened if it is changed, from elsewhere, or for another device', async () => {
    const changed = fromBase64(sample.whole);
    changed[changed.length - 1]! ^= 1;
    expect(await open(changed, keys)).toBeNull();
    expect(await opened(sample.whole, { verifyKey: fromBase64(sample.key) }).catch(() => null)).toBeNull();
    expect(await opened(sample.whole, { deviceId: '00000000-0000-0000-0000-000000000004' })).toBeNull();
    expect(await opened(sample.whole, { key: await imported(fromBase64(sample.verify_key)) })).toBeNull();
    expect(await open(new Uint8Array(3), keys)).toBeNull();
  });

  it('takes what changed since: its rows, its order of things, and new tickets', () => {
    expect([later.size, later.header.since]).toEqual([3, sheet.header.version]);
    const [first, second, third] = [PASSED_ON, SECOND, THIRD].map((code) => later.findCode(code)) as [number, number, number];
    expect(presenceAt(later, second)).toEqual(presenceAt(sheet, sheet.findCode(SECOND)));
    expect(later.of(later.header.members, 'member', second)).toMatchObject({ id: 'm-1', status: 'revoked' });
    expect(later.of(later.header.members, 'member', third)?.id).toBe('m-0');
    expect(later.of(later.header.members, 'member', first)).toBeNull();
    const seat = (row: number) => [later.of(later.header.sections, 'section', row), later.of(later.header.rows, 'row', row), later.of(later.header.seats, 'seat', row)];
    expect([seat(first), seat(second), seat(third)]).toEqual([['9', 'Q', null], ['104', 'B', '14'], ['9', 'Q', '1']]); // prettier-ignore
    expect(sheet.size).toBe(2);
    expect(later.findCode(FIRST)).toBe(-1); // the same ticket, under its new code
  });
});

describe('a gate without a connection', () => {
  const ask = (brought: Brought, more = {}) => ({ brought, direction: 'in' as const, gateId: 'g-b', test: false, override: false, ...more });
  const verdict = async (of: Sheet, brought: Brought, more = {}, seen = NOTHING) => (await judge(of, seen, ask(brought, more), sample.now))!;

  it.each([
    ['good', true, null],
    ['inside', false, 'already_inside'],
    ['passed_on', false, 'replaced'],
    ['other_show', false, 'wrong_event'],
    ['forged', false, 'forged'],
    ['no_such_key', false, 'forged'],
    ['revoked', false, 'revoked'],
    ['cut_off', false, 'unknown'],
  ] as const)('reads a QR that is %s', async (name, admit, reason) => {
    const { verdict: found } = await verdict(sheet, { qr: sample.qr[name] });
    expect([found.admit, found.reason]).toEqual([admit, reason]);
  });

  it('believes the new code of a ticket that changed hands, and not the old one', async () => {
    expect((await verdict(later, { qr: sample.qr.good })).verdict.reason).toBe('replaced');
    expect((await verdict(later, { qr: sample.qr.passed_on })).verdict.admit).toBe(true);
    expect((await verdict(later, { code: PASSED_ON })).verdict.admit).toBe(true);
    const former = await verdict(later, { code: FIRST });
    expect([former.verdict.admit, former.verdict.reason, former.ticket?.code]).toEqual([false, 'replaced', PASSED_ON]);
    expect((await verdict(later, { code: FIRST }, { override: true })).verdict).toMatchObject({ admit: true, reason: 'replaced' });
    expect((await verdict(sheet, { code: FIRST })).verdict.admit).toBe(true); // nobody could know
  });

  it('shows row and seat, the note of a wheelchair space, and who comes along', async () => {
    const { ticket } = await verdict(sheet, { code: SECOND });
    expect(ticket).toMatchObject({ zone: 'Lower tier', section: '104', row: 'B', seat: '14', companionSeats: 'Row B, seat 13' });
    expect(ticket?.accessibility).toBe('Wheelchair ticket, companion reserved. Please ensure companion is accompanied.');
    expect((await verdict(sheet, { qr: sample.qr.forged })).ticket).toBeNull();
  });

  it('looks at what it has seen itself', async () => {
    const { verdict: first, move } = await verdict(sheet, { code: FIRST });
    expect(move).toEqual({ by: 1, gate: 'g-b', zone: 'z-1' });
    const seen = { presence: () => first.presence, inside: () => 0 };
    expect((await verdict(sheet, { code: FIRST }, {}, seen)).verdict.reason).toBe('already_inside');
    const full: Seen = { presence: () => null, inside: (kind) => (kind === 'gate' ? 2 : 0) };
    expect((await verdict(sheet, { code: FIRST }, {}, full)).verdict.reason).toBe('gate_full');
    expect((await verdict(sheet, { code: SECOND }, { direction: 'out' })).move).toEqual({ by: -1, gate: 'g-a', zone: 'z-1' });
  });

  it('decides nothing on a day that its snapshot does not know', async () => {
    expect(await judge(sheet, NOTHING, ask({ code: FIRST }), sample.now + 40 * 86_400_000)).toBeNull();
  });
});

describe('the finder', () => {
  it('finds every row by both halves of its key, and nothing else', () => {
    const n = 5000;
    const high = Uint32Array.from({ length: n }, (_, row) => row % 7);
    const low = Uint32Array.from({ length: n }, (_, row) => Math.floor(row / 7) * 1024);
    const finder = new Finder(high, low);
    for (let row = 0; row < n; row++) expect(finder.find(high[row]!, low[row]!)).toBe(row);
    expect(finder.find(8, 0)).toBe(-1);
    expect(new Finder(new Uint32Array(), new Uint32Array()).find(0, 0)).toBe(-1);
  });
});
