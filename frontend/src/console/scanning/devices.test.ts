import { describe, expect, it } from 'vitest';
import { battery, seen, spelled } from './devices';

describe('devices', () => {
  it('spells a code so that it can be read aloud', () => expect(spelled('7F4KQ2MX')).toBe('7F4K-Q2MX'));

  it.each([
    [0, '0 seconds ago'],
    [1, '1 second ago'],
    [59, '59 seconds ago'],
    [61, '1 minute ago'],
    [7300, '2 hours ago'],
    [90_000, 'more than a day ago'],
    [-5, '0 seconds ago'], // its clock and ours
  ])('was seen %s s ago', (s, words) => expect(seen('2027-01-01T00:00:00Z', Date.parse('2027-01-01T00:00:00Z') + s * 1000)).toBe(words));

  it('says in words when a battery is low', () => {
    expect(battery(null)).toBeNull();
    expect(battery(21)).toEqual({ text: '21%', low: false });
    expect(battery(20)).toEqual({ text: '20%, low', low: true });
  });
});
