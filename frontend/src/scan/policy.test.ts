import { describe, expect, it } from 'vitest';
import table from '../../../tests/scanning/cases.json';
import { type Presence, type Scene, OVERRIDABLE, decide } from './policy';
import { en } from './words/en';

// The server's own table, as it is committed: python -m tests.scanning.cases
type Json = Record<string, unknown>;
const TIMES = new Set(['now', 'member_from', 'member_until', 'at']);
const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

function told(json: Json): Json {
  const one = ([name, value]: [string, unknown]): [string, unknown] => [
    camel(name),
    TIMES.has(name) && typeof value === 'string' ? Date.parse(value) : name === 'presence' ? told(value as Json) : value,
  ];
  return Object.fromEntries(Object.entries(json).map(one));
}

interface Case {
  name: string;
  scene: Json;
  admit: boolean;
  reason: string | null;
  presence?: Json;
}
const cases = table.cases as unknown as Case[];
const usual = table.usual as unknown as Json;

describe('the decision', () => {
  it('answers every case of the table as the server does', () => {
    const wrong = cases.filter(({ scene, admit, reason, presence }) => {
      const shown = told({ ...usual, ...scene }) as unknown as Scene;
      const after = presence ? (told(presence) as unknown as Presence) : shown.presence;
      const verdict = decide(shown);
      return JSON.stringify([verdict.admit, verdict.reason, sorted(verdict.presence)]) !== JSON.stringify([admit, reason, sorted(after)]);
    });
    expect(cases.length).toBeGreaterThan(1200);
    expect(wrong.map((each) => each.name)).toEqual([]);
  });

  it('has words for every reason of the table, and no others', () => {
    const reasons = new Set(cases.map((each) => each.reason).filter(Boolean));
    expect(new Set(Object.keys(en.reasons))).toEqual(reasons);
    for (const reason of OVERRIDABLE) expect(reasons).toContain(reason);
    for (const reason of ['membership_expired', 'membership_revoked'] as const) expect(en.reasons[reason][1]).toBe('Membership expired.');
  });
});

function sorted(presence: Presence): [string, unknown][] {
  return Object.entries(presence).sort(([a], [b]) => a.localeCompare(b));
}
