import { describe, expect, test } from 'vitest';
import { Problem } from '../api';
import { refusal } from '../refusal';
import { sentence } from '.';
import { af } from './af';
import { en } from './en';
import { af as afLater } from './later/af';
import { en as enLater } from './later/en';

// What is said at the checkout and of tickets comes later, and is said beside what the shop says.
const CATALOGUES = { en: { ...en, ...enLater, problems: { ...en.problems, ...enLater.problems } }, af: { ...af, ...afLater, problems: { ...af.problems, ...afLater.problems } } };

/** Every key with the shape of what stands behind it. */
function shape(words: object, path = ''): string[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'object' ? shape(value, `${path}${key}.`) : [`${path}${key}: ${typeof value}${typeof value === 'function' ? ` of ${value.length}` : ''}`],
  );
}

describe.each(Object.entries(CATALOGUES))('%s', (code, words) => {
  // What the house refuses is English by itself: another language has words for more of it (tests/web/test_refusals.py).
  test('has the same keys as English', () => expect(shape({ ...words, problems: {} }).toSorted()).toEqual(shape({ ...CATALOGUES.en, problems: {} }).toSorted()));
  test('says something everywhere', () => {
    for (const [key, value] of Object.entries(words)) if (typeof value === 'string') expect(value.trim(), key).not.toBe('');
  });
  test('uses what it is given', () => {
    for (const [key, value] of Object.entries(words)) {
      if (typeof value !== 'function') continue;
      const given = Array.from({ length: value.length }, (_, n) => `«${n}»`);
      const text = (value as (...args: string[]) => string)(...given);
      for (const one of given) expect(text, `${code}.${key}`).toContain(one);
    }
  });
});

test('nothing is said twice, at once and later', () => {
  for (const [atOnce, later] of [[en, enLater], [af, afLater]] as const) {
    expect(Object.keys(atOnce).filter((key) => key in later)).toEqual(['problems']); // those: tests/web/test_refusals.py
  }
});

test('a refusal keeps its numbers and names, in every language', () => {
  const said = (code: string, more: object, wait: number | null = null) => Object.values(CATALOGUES).map(({ problems }) => refusal(new Problem(409, code, 'x', [], { ...more }, wait), problems, 'af'));
  expect(said('max_seats_per_booking', { most: 6 })).toEqual(['You can book at most 6 seats.', 'Jy kan hoogstens 6 sitplekke bespreek.']);
  for (const text of said('max_per_order', { most: 4, name: 'Pensioner' })) expect(text).toMatch(/4.*Pensioner/);
  for (const text of said('rate_limited', {}, 17)) expect(text).toContain('17');
});

test('who names somebody twice is not told that the zone is closed to them', () => {
  const said = (more: object) => refusal(new Problem(403, 'zone_access_denied', 'x', [], { zone: 'Loge', ...more }), af.problems, 'af');
  expect([said({}), said({ item: 0 })]).toEqual(['“Loge” is nie vir jou oop nie.', 'Elke kaartjie vir “Loge” moet op ’n ander persoon se naam wees.']);
});

test('who reads Afrikaans is never shown an English sentence', () => {
  const { problems } = CATALOGUES.af;
  expect(refusal(new Problem(409, 'never_heard_of', 'Because of this.'), problems, 'af')).toBe(problems['unknown']);
  for (const [code, told] of Object.entries(problems)) expect(refusal(new Problem(409, code, 'Because of this.'), problems, 'af').trim(), `${code} ${told}`).toMatch(/^[^{}]+$/);
});

test('a refusal without a sentence of ours keeps its own', () => {
  expect(sentence(new Problem(409, 'seat_no_longer_available', 'x'))).toBe(en.problems.seat_no_longer_available);
  expect(sentence(new Problem(409, 'never_heard_of', 'Because of this.'))).toBe('Because of this.');
});
