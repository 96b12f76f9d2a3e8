import { describe, expect, it } from 'vitest';
import { marks, type Difference } from './difference';

const nothing: Difference = { added: [], removed: [], moved: [], recategorised: [], renumbered: [], zones: [] };
const before = new Map([['A-1', { x: 1, y: 1 }], ['A-2', { x: 2, y: 1 }]]);
const after = new Map([['A-2', { x: 5, y: 5 }], ['A-3', { x: 3, y: 1 }]]);

describe('the difference of two versions, drawn', () => {
  it('puts what went where it was, and what came where it is', () => {
    const found = marks({ ...nothing, added: ['A-3'], removed: ['A-1'] }, before, after);
    expect(found.map(({ change, seat, x, y }) => [change, seat, x, y])).toEqual([['added', 'A-3', 3, 1], ['removed', 'A-1', 1, 1]]);
  });

  it('draws a moved seat with where it came from', () => {
    const [mark] = marks({ ...nothing, moved: [{ seat: 'A-2', was: { x: 2, y: 1 }, now: { x: 5, y: 5 } }] }, before, after);
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
    );
    expect(found.map((mark) => mark.words)).toEqual(['standard → restricted view, price one → none', 'Stalls A-2 is now Stalls A-7']);
  });

  it('leaves out what neither version knows', () => {
    expect(marks({ ...nothing, added: ['Z-9'] }, before, after)).toEqual([]);
  });
});
