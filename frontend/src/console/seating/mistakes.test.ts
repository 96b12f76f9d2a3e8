import { describe, expect, it } from 'vitest';
import { excerpt, formatOf, place, steps } from './mistakes';

const plan = {
  format: 'fullhouse/1',
  zones: [{ name: 'Stalls', sections: [{ key: 'left' }, { name: 'Right', rows: [{ label: 'C', seats: [{ number: '4', x: -1 }, {}] }] }] }],
  price_categories: [{ name: 'Best' }],
};

describe('where a mistake is', () => {
  it('takes a path apart', () => {
    expect(steps('zones[0].sections[12].x')).toEqual(['zones', 0, 'sections', 12, 'x']);
    expect(steps('')).toEqual([]);
  });

  it('says it in the plan’s own words', () => {
    expect(place('zones[0].sections[1].rows[0].seats[0].x', plan)).toBe('zone Stalls, section Right, row C, seat 4, x');
    expect(place('zones[0].sections[0].rows', plan)).toBe('zone Stalls, section left, rows');
    expect(place('price_categories[0].color', plan)).toBe('price category Best, color');
  });

  it('counts what has no name, and what is not there', () => {
    expect(place('zones[0].sections[1].rows[0].seats[1].number', plan)).toBe('zone Stalls, section Right, row C, seat no. 2, number');
    expect(place('zones[7].name', plan)).toBe('zone no. 8, name');
    expect(place('', plan)).toBe('whole file');
    expect(place('name', null)).toBe('name');
  });

  it('reads pretix too', () => {
    const theirs = { categories: [{ name: 'A' }], zones: [{ name: 'Parkett', rows: [{ row_number: 'B', seats: [{ seat_number: 9 }] }] }] };
    expect(place('zones[0].rows[0].seats[0].category', theirs)).toBe('zone Parkett, row B, seat 9, category');
    expect(formatOf(theirs)).toBe('pretix');
    expect(formatOf(plan)).toBe('fullhouse');
    expect(formatOf({ zones: [{ zone_id: 'a', seats: [] }] })).toBe('config');
    expect(formatOf({ config: {} })).toBe('config');
    expect(formatOf('nonsense')).toBe('fullhouse');
  });

  it('shows what stands there', () => {
    expect(excerpt('zones[0].sections[1].rows[0].seats[0].x', plan)).toBe('-1');
    expect(excerpt('zones[0].sections[1]', plan)!.length).toBeLessThanOrEqual(60);
    expect(excerpt('zones[3]', plan)).toBeNull();
  });
});
