import house from '../../../../src/fullhouse/scanning/policy.py?raw';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Offline, Problem } from '../../lib/api';
import { inOurs, place, sentence, wordsFor } from '.';
import { af } from './af';
import { en } from './en';
import { type Code, NAMES, speech, t } from './speech.svelte';

const CATALOGUES = { en, af };

test('there is a catalogue for every name, and the other way around', () => expect(Object.keys(CATALOGUES).toSorted()).toEqual(Object.keys(NAMES).toSorted()));

/** Every key with the shape of what stands behind it. */
function shape(words: object, path = ''): string[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'object' ? shape(value, `${path}${key}.`) : [`${path}${key}: ${typeof value}${typeof value === 'function' ? ` of ${value.length}` : ''}`],
  );
}

function* texts(words: object, path = ''): Generator<[string, string]> {
  for (const [key, value] of Object.entries(words)) {
    if (typeof value === 'object') yield* texts(value, `${path}${key}.`);
    else if (typeof value === 'string') yield [`${path}${key}`, value];
  }
}

const SAID_OTHERWISE = ['reasons.already_inside.1', 'reasons.already_used.1']; // when and where they came in

describe.each(Object.entries(CATALOGUES))('%s', (code, words) => {
  test('has the same keys as English', () => expect(shape(words).toSorted()).toEqual(shape(en).toSorted()));
  test('says something everywhere', () => {
    for (const [key, text] of texts(words)) if (!SAID_OTHERWISE.includes(key)) expect(text.trim(), key).not.toBe('');
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

describe('in the language of whoever is at the gate', () => {
  beforeAll(() => speech.ready);
  afterEach(() => speech.choose('en'));
  const told = async (code: Code) => {
    await speech.choose(code);
    return [wordsFor(true, null, 'in').word, wordsFor(false, 'zone_full', 'in').says, place({ zone: 'Stalls', section: '4', row: 'B', seat: '12' })];
  };

  test('verdicts and places follow the choice', async () => {
    expect(await told('en')).toEqual(['Welcome', 'The zone is full.', 'Stalls, section 4, row B, seat 12']);
    expect(await told('af')).toEqual(['Welkom', 'Die sone is vol.', 'Stalls, blok 4, ry B, sitplek 12']);
  });

  test('a verdict keeps its colour', async () => {
    const tones = () => Object.keys(en.reasons).map((reason) => wordsFor(false, reason, 'in').tone);
    const before = tones();
    await speech.choose('af');
    expect(tones()).toEqual(before);
    expect(new Set(before)).toEqual(new Set(['wait', 'stop']));
  });

  test('a sentence of the server is translated if it is known', async () => {
    await speech.choose('af');
    expect(inOurs('Wheelchair ticket.')).toBe(CATALOGUES.af.accessibility['wheelchair false']);
    expect(inOurs('Bring a torch.')).toBe('Bring a torch.');
    const sent = [...house.matchAll(/\("(\w+)", (True|False)\): "([^"]+)"/g)];
    expect(sent.map(([, kind, companion]) => `${kind} ${companion!.toLowerCase()}`)).toEqual(Object.keys(en.accessibility));
    for (const [, kind, companion, text] of sent) expect(inOurs(text!)).toBe(af.accessibility[`${kind} ${companion!.toLowerCase()}`]);
    expect(wordsFor(false, 'newer_than_us', 'in', 'Because of this.')).toEqual({ tone: 'stop', word: 'Geweier', says: 'Because of this.' });
    expect(sentence(new Problem(422, 'pairing_failed', 'x'))).toBe(CATALOGUES.af.problems.pairing_failed);
    expect(sentence(new Problem(409, 'never_heard_of', 'Because of this.'))).toBe(CATALOGUES.af.problems.unknown);
    expect(sentence(new Offline())).toBe(CATALOGUES.af.noConnection);
  });

  test('the last choice counts, whichever is there first', async () => {
    await Promise.all([speech.choose('af'), speech.choose('en')]);
    expect([speech.code, t.welcome]).toEqual(['en', 'Welcome']);
  });

  test('an organisation’s language does not overrule somebody’s own', async () => {
    await speech.choose('en');
    await speech.suggest('af-ZA');
    expect(speech.code).toBe('en');
  });
});
