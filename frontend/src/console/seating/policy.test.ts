import { describe, expect, it } from 'vitest';
import { effective, grouped, GROUPS, label, mistake, overrides, rows, type Field } from './policy';

function field(name: string, more: Partial<Field> = {}): Field {
  return { name, value: 10, source: 'platform', default: 10, mandatory: false, meaning: '', low: 1, high: 100, optional: false, ...more };
}

describe('the editor of a show’s policy', () => {
  it('shows what the show inherits, and from whom', () => {
    const [a, b] = rows(
      [field('a', { value: 4, source: 'event' }), field('b', { value: 6, source: 'organization' })],
      [field('a', { value: 6, source: 'organization' }), field('b', { value: 6, source: 'organization' })],
    );
    expect([a!.own, a!.inherited, a!.inheritedFrom, effective(a!)]).toEqual([true, 6, 'organization', 4]);
    expect([b!.own, b!.inherited, effective(b!)]).toEqual([false, 6, 6]);
  });

  it('sends what the show says itself, and nothing that is mandatory', () => {
    const list = rows(
      [
        field('seats', { value: 4, source: 'event' }),
        field('split', { value: 2 }),
        field('fixed', { value: 6, source: 'organization', mandatory: true }),
        field('strict', { value: false, source: 'event', default: true, low: null, high: null }),
        field('limit', { value: null, source: 'event', default: null, optional: true }),
      ],
      [],
    );
    list[2]!.own = true; // somebody forced the form
    expect(overrides(list)).toEqual({ seats: 4, strict: false, limit: null });
    expect(effective(list[2]!)).toBe(10);
  });

  it('gives a field back to the organisation', () => {
    const list = rows([field('seats', { value: 4, source: 'event' })], [field('seats', { value: 6, source: 'organization' })]);
    list[0]!.own = false;
    expect(overrides(list)).toEqual({});
    expect(effective(list[0]!)).toBe(6);
  });

  it.each([
    ['5', null],
    ['0', 'Enter a number from 1 to 100.'],
    ['101', 'Enter a number from 1 to 100.'],
    ['3.5', 'Enter a number from 1 to 100.'],
    ['ten', 'Enter a number from 1 to 100.'],
    ['', 'Enter a number from 1 to 100.'],
  ])('checks %j', (text, wrong) => {
    const [row] = rows([field('seats', { source: 'event' })], []);
    row!.text = text;
    expect(mistake(row!)).toBe(wrong);
    row!.own = false; // then nobody reads it
    expect(mistake(row!)).toBeNull();
  });

  it('takes an empty limit for none where that is allowed', () => {
    const [row] = rows([field('limit', { source: 'event', optional: true, value: null })], []);
    expect([row!.text, mistake(row!)]).toEqual(['', null]);
  });

  it('names every field once', () => {
    const all = GROUPS.flatMap((group) => group.fields);
    expect(new Set(all).size).toBe(all.length);
    const strange = rows([field('max_group_split'), field('brand_new')], []);
    expect(grouped(strange).map((group) => [group.title, group.rows.length])).toEqual([['Seat selection', 1], ['Other', 1]]);
    expect(label('max_holds_per_ip')).toBe('Holds per IP address');
  });
});
