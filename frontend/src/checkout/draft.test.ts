import { beforeEach, expect, test, vi } from 'vitest';
import { beginWith, drop, keep } from './draft';

const ADA = { name: 'Ada', email: 'ada@example.org' };
const GUEST = { name: 'Bo', email: 'bo@example.org' };

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value), removeItem: (key: string) => kept.delete(key) });
});

test('what was typed is there after a reload', () => {
  keep(GUEST, null);
  expect(beginWith(null)).toEqual(GUEST);
  keep({ name: 'Ada for Bo', email: ADA.email }, ADA);
  expect(beginWith(ADA).name).toBe('Ada for Bo');
});

test('an empty draft does not beat who is signed in', () => {
  keep({ name: '', email: '' }, ADA);
  expect(beginWith(ADA)).toEqual(ADA);
});

test('who signs in begins with their own name, not with a guest’s', () => {
  keep(GUEST, null);
  expect(beginWith(ADA)).toEqual(ADA);
});

test('nothing is left of it after buying', () => {
  keep(GUEST, null);
  drop();
  expect(beginWith(null)).toEqual({ name: '', email: '' });
});
