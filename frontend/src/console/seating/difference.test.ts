import { describe, expect, it } from 'vitest';
import { grouped, marks, type Difference, type Names } from './difference';

const nothing: Difference = { added: [], removed: [], moved: [], recategorised: [], renumbered: [], zones: [] };
const place = (number: string, x: number, y: number) => ({ x, y, row: 'Stalls, row A', number });
const before = new Map([['A-1', place('1', 1, 1)], ['A-2', place('2', 2, 1)]]);
const after = new Map([['A-2', place('7', 5, 5)], ['A-3', place('3', 3, 1)]]);
const names: Names = { zones: new Map(), prices: new Map([['one', 'Premium']]) };

describe('the difference of two versions, drawn', () => {
  it('puts what went where it was, and what came where it is', () => {
    const found = marks({ ...nothing, added: ['A-3'], removed: ['A-1'] }, before, after, names);
    expect(found.map(({ change, seat, x, y }) => [change, seat, x, y])).toEqual([['added', 'A-3', 3, 1], ['removed', 'A-1', 1, 1]]);
  });

  it('draws a moved seat with where it came from', () => {
    const [mark] = marks({ ...nothing, moved: [{ seat: 'A-2', was: { x: 2, y: 1 }, now: { x: 5, y: 5 } }] }, before, after, names);
    expect(mark).toMatchObject({ x: 5, y: 5, from: { x: 2, y: 1 }, words: 'by 5 units' });
  });

  it('says what a seat is sold as now, and how it is called', () => {
    const was = { zone: 'stalls', category: 'standard', price_category: 'one' };
    const now = { zone: 'stalls', category: 'restricted_view', price_category: null };
    const words = { section: 'Stalls', row: 'A', number: '2' };
    const found = marks(
      { ...nothing, recategorised: [{ seat: 'A-2', was, now }], renumbered: [{ seat: 'A-2', was: words, now: { ...words, number: '7' } }] },
      before,
      after,
      names,
    );
    expect(found.map((mark) => [mark.label, mark.words])).toEqual([
      ['7', 'standard → restricted view, price Premium → none'],
      ['2 → 7', ''],
    ]);
  });

  it('leaves out what neither version knows', () => {
    expect(marks({ ...nothing, added: ['Z-9'] }, before, after, names)).toEqual([]);
  });

  it('says what happened to a row once', () => {
    const moved = ['1', '2', '3'].map((n) => ({ seat: `B-${n}`, was: { x: 0, y: 0 }, now: { x: 0, y: n === '3' ? 9 : 4 } }));
    const rows = new Map(moved.map(({ seat, now }) => [seat, { ...now, row: 'Stalls, row B', number: seat.slice(2) }]));
    const found = grouped(marks({ ...nothing, moved }, new Map(), rows, names));
    expect(found.map(({ row, words, marks }) => [row, words, marks.map((mark) => mark.label).join(' ')])).toEqual([
      ['Stalls, row B', 'by 4 units', '1 2'],
      ['Stalls, row B', 'by 9 units', '3'],
    ]);
  });
});
