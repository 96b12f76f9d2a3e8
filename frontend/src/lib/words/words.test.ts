import { describe, expect, test } from 'vitest';
import { Problem } from '../api';
import { CATALOGUES, sentence } from '.';
import { en } from './en';

/** Every key with the shape of what stands behind it. */
function shape(words: object, path = ''): string[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'object' ? shape(value, `${path}${key}.`) : [`${path}${key}: ${typeof value}${typeof value === 'function' ? ` of ${value.length}` : ''}`],
  );
}

describe.each(Object.entries(CATALOGUES))('%s', (code, words) => {
  test('has the same keys as English', () => expect(shape(words).toSorted()).toEqual(shape(en).toSorted()));
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

test('a refusal without a sentence of ours keeps its own', () => {
  expect(sentence(new Problem(409, 'seat_no_longer_available', 'x'))).toBe(en.problems.seat_no_longer_available);
  expect(sentence(new Problem(409, 'never_heard_of', 'Because of this.'))).toBe('Because of this.');
});
