import { describe, expect, it } from 'vitest';
import { changes, sameDay } from './entries';

describe('the audit for people', () => {
  it('puts both sides of a change beside each other', () => {
    expect(changes({ before: { status: 'draft', start_at: null }, after: { status: 'published', capacity: 3 } })).toEqual([
      { field: 'status', before: 'draft', after: 'published' },
      { field: 'start at', before: 'none', after: '' },
      { field: 'capacity', before: '', after: '3' },
    ]);
    expect(changes({ before: null, after: null })).toEqual([]);
  });

  it('cuts long lists short, and says so', () => {
    const [row] = changes({ before: null, after: { seat_ids: Array.from({ length: 20 }, (_, n) => `s${n}`) } });
    expect(row!.after).toMatch(/^s0, .* s11 … and 8 more$/);
  });

  it('knows days by the house’s own clock', () => {
    expect(sameDay('2027-01-01T21:59:00Z', '2027-01-01T22:01:00Z', 'Africa/Johannesburg')).toBe(false);
    expect(sameDay('2027-01-01T21:59:00Z', '2027-01-01T22:01:00Z', 'UTC')).toBe(true);
  });
});
