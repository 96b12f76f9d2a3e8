import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Problem } from '../../lib/api';
import type { Areas } from './areas';
import { named } from '.';
import { counted } from './spoken';

const together = (modules: Record<string, unknown>) => Object.assign({}, ...Object.values(modules)) as Areas;
const { t: _, ...ENGLISH } = together(import.meta.glob(['./*.ts', '!./{areas,index,spoken}.ts', '!./*.test.ts'], { eager: true })) as Areas & { t: unknown };
const AFRIKAANS = together(import.meta.glob(['./af/*.ts', '!./af/main.ts'], { eager: true }));

const SOURCES = Object.values(import.meta.glob<string>(['../**/*.{svelte,ts}', '!../words/**'], { query: '?raw', import: 'default', eager: true }));

/** Every text and what fills it, by its way through the catalogue. Tables that only one language needs are left out. */
function texts(words: object, path = ''): [string, string | ((...values: never[]) => string)][] {
  return Object.entries(words).flatMap(([key, value]) => (typeof value === 'object' && value ? texts(value, `${path}${key}.`) : [[`${path}${key}`, value]]));
}

describe.each(Object.keys(ENGLISH) as (keyof Areas)[])('%s', (area) => {
  const both = [...texts(ENGLISH[area]), ...texts(AFRIKAANS[area])];

  test('says something everywhere', () => {
    for (const [key, text] of both) if (typeof text === 'string') expect(text.trim(), key).not.toBe('');
  });

  test('uses what it is given', () => {
    for (const [key, text] of both) {
      if (typeof text === 'string') continue;
      // Numbers, because some of them are counted; each unlike the others.
      const given = Array.from({ length: text.length }, (_, n) => 31 + n);
      const said = text(...(given as never[]));
      for (const one of given) expect(said, key).toContain(String(one));
    }
  });

  test('says nothing that nobody says', () => {
    const speakers = SOURCES.filter((source) => area === 'common' || source.includes(`words/${area}'`)).join();
    expect(Object.keys(ENGLISH[area]).filter((key) => !new RegExp(`\\bt\\.${key}\\b`).test(speakers))).toEqual([]);
  });

  test('says nothing that is said everywhere under the same name', () => {
    if (area !== 'common') expect(Object.keys(ENGLISH[area]).filter((key) => key in ENGLISH.common)).toEqual([]);
  });
});

describe('a page', () => {
  beforeEach(() => vi.resetModules());

  test('has its own texts and those of everywhere', async () => {
    const { t } = await import('./queue');
    expect([t.title, t.save]).toEqual(['Waiting room and checkout', 'Save']);
  });

  test('speaks the language that spoke first', async () => {
    await import('./af/main');
    const { t } = await import('./queue');
    expect([t.title, t.save, t.states.open.name]).toEqual(['Wagkamer en betaling', 'Stoor', 'Oop']);
  });
});

describe('what the house refuses', () => {
  beforeEach(() => vi.resetModules());
  const taken = () => new Problem(409, 'slug_taken', 'Another event has the slug “gala”.', [], { slug: 'gala' });

  test('is said by itself in English', async () => {
    const { refused, mistaken } = await import('./spoken');
    expect([refused(taken()), mistaken('At most 4,000.')]).toEqual(['Another event has the slug “gala”.', 'At most 4,000.']);
  });

  test('is said in Afrikaans with its names and numbers', async () => {
    vi.doMock('../../lib/language', () => ({ language: 'af' }));
    await import('./af/main');
    const { refused, mistaken } = await import('./spoken');
    expect(refused(taken())).toBe('Die adres “gala” is reeds geneem.');
    expect(mistaken('At most 4,000.')).toBe('Hoogstens 4\u00a0000.');
    expect(mistaken('Between the years 1800 and 2200.')).toBe('Tussen die jare 1800 en 2200.');
    expect(mistaken('This field is required.')).toBe('Vul dit in.');
    expect(mistaken('The capacity is 1,000, but the zone has 12 seats.')).toBe('Die kapasiteit is 1\u00a0000, maar die sone het 12 sitplekke.');
    expect(mistaken('The seat key “A-1” is used already, at zones[0].sections[0].rows[0].seats[0].')).toBe('Die sleutel “A-1” word reeds gebruik, by zones[0].sections[0].rows[0].seats[0].');
    expect(mistaken('In 1 row the seats were not listed in order: they were sorted by position.')).toMatch(/^In 1 ry was/);
    expect(mistaken('In 12 rows the seats were not listed in order: they were sorted by position.')).toMatch(/^In 12 rye was/);
    expect(mistaken('1 seat without a number: counted from the row\'s beginning.')).toMatch(/^1 sitplek sonder/);
    expect(mistaken('1 seat got new keys: the seat_guid was missing, unclean or double.')).toMatch(/^1 sitplek het ’n nuwe sleutel gekry/);
    expect(mistaken('Whatever else is wrong with it.')).toBe('Dit pas nie hier nie.');
    vi.doUnmock('../../lib/language');
  });
});

test('what has no name is said as it is written', () => {
  expect(named({ double_entry: 'dubbel' }, 'double_entry')).toBe('dubbel');
  expect(named({}, 'double_entry')).toBe('double entry');
});

test('numbers are counted as the language counts', () => {
  const seats = { one: 'seat is', other: 'seats are' };
  expect([0, 1, 1200].map((n) => counted(n, seats))).toEqual(['0 seats are', '1 seat is', '1,200 seats are']);
});

test('an event without a capacity has its venue’s, and is not said to have no limit', () => {
  for (const { events } of [ENGLISH, AFRIKAANS] as Areas[]) {
    expect(events.atMost('60').match(/60/g)).toHaveLength(2);
    expect(events.atMost('60')).not.toContain(events.emptyUnlimited);
  }
});
