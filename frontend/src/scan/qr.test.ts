import { describe, expect, it } from 'vitest';
import sample from '../../../tests/scanning/sample.json';
import { fromBase64, idBytes, idText } from './bytes';
import { Glance } from './glance';
import { brought, codeNumber, codeText, isSigned, read, readClaim, unbase45 } from './qr';
import { Wedge } from './wedge';

describe('a QR', () => {
  it('says which key, show and ticket', async () => {
    const claim = readClaim(sample.qr.good)!;
    expect([claim.keyId, claim.eventId, idText(claim.ticketId), new TextDecoder().decode(claim.nonce)]).toEqual([
      1, '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000064', 'nonce-01', // prettier-ignore
    ]);
    expect(await isSigned(claim.signature, claim.message, fromBase64(sample.verify_key))).toBe(false);
  });

  it.each(['', 'FH:', 'FH:abc', 'https://example.org', sample.qr.cut_off, `${sample.qr.good}0`, sample.qr.good.replace('FH:', 'FX:')])('is no ticket: %s', (text) => {
    expect(readClaim(text)).toBeNull();
  });

  it('is base 45 as RFC 9285 has it', () => {
    expect(new TextDecoder().decode(unbase45('QED8WEX0')!)).toBe('ietf!');
    expect(unbase45('GGW')).toBeNull(); // 65536
    expect(unbase45(':::')).toBeNull();
    expect(unbase45('A')).toBeNull();
    expect(unbase45('ab')).toBeNull();
  });
});

describe('what is brought', () => {
  it('is a QR, in whatever case a scanner types it, or a code with blanks', () => {
    expect(brought(` ${sample.qr.good.toLowerCase()}\n`)).toEqual({ qr: sample.qr.good });
    expect(brought('abcd-2345 ')).toEqual({ code: 'ABCD2345' });
    expect([brought('abc'), brought(''), brought('Ada Lovelace!')]).toEqual([null, null, null]);
    expect(read('https://example.org/?a=b')).toEqual({ qr: 'https://example.org/?a=b' });
    expect(read('x'.repeat(999)).qr).toHaveLength(400);
  });

  it('has codes of forty bits', () => {
    for (const code of ['22222222', 'ZZZZZZZZ', 'ABCD2345']) expect(codeText(codeNumber(code)!)).toBe(code);
    expect([codeNumber('ABCD234'), codeNumber('OOOOOOOO')]).toEqual([null, null]);
    expect(idText(idBytes('0197a3c0-0000-7000-8000-0000000000ff'))).toBe('0197a3c0-0000-7000-8000-0000000000ff');
  });
});

describe('a hand-held scanner', () => {
  const typed = (wedge: Wedge, text: string, from: number, gap: number) => [...text].map((key, n) => wedge.press(key, from + n * gap)).at(-1);

  it('is told from a person by its speed', () => {
    const wedge = new Wedge();
    typed(wedge, 'ABCD2345', 1000, 10);
    expect(wedge.press('Enter', 1085)).toBe('ABCD2345');
    typed(wedge, 'ABCD2345', 5000, 300);
    expect(wedge.press('Enter', 7200)).toBe(false);
    typed(wedge, 'ABC', 9000, 10);
    expect(wedge.press('Enter', 9031)).toBe(false);
  });

  it('that sends Enter twice presses no button by it; a person’s Enter does', () => {
    const wedge = new Wedge();
    typed(wedge, 'ABCD2345', 1000, 10);
    expect([wedge.press('Enter', 1085), wedge.press('Enter', 1090), wedge.press('Enter', 2000)]).toEqual(['ABCD2345', true, false]);
  });

  it('keeps Shift out of what it reads, and the first key for whoever has the focus', () => {
    const wedge = new Wedge();
    expect(wedge.press(' ', 0)).toBe(false);
    expect(wedge.press('F', 500)).toBe(false);
    for (const [n, key] of ['Shift', 'H', ':', ' ', '1', '2', '3', '4'].entries()) wedge.press(key, 510 + n);
    expect(wedge.press('Enter', 530)).toBe('FH: 1234');
  });
});

describe('a camera', () => {
  it('takes a ticket that stays before it for one scan', () => {
    const glance = new Glance();
    expect([0, 90, 1800, 3500].map((at) => glance.isNew('a', at))).toEqual([true, false, false, false]);
    expect([glance.isNew('b', 3600), glance.isNew('a', 3700)]).toEqual([true, true]);
    expect(glance.isNew('a', 6000)).toBe(true);
  });
});
