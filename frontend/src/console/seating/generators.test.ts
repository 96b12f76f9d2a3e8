import { describe, expect, it } from 'vitest';
import { initial, KINDS, request } from './generators';

const straight = KINDS.find((kind) => kind.kind === 'straight')!;
const tables = KINDS.find((kind) => kind.kind === 'tables')!;

describe('what a generator is asked', () => {
  it('is what the form says, as numbers', () => {
    const answers = { ...initial(straight), rows: '9', aisles_after: '5, 15;17', staggered: true };
    expect(request(straight, answers)).toMatchObject({ kind: 'straight', rows: 9, aisles_after: [5, 15, 17], staggered: true, name: 'Hall' });
  });

  it('leaves out what is empty where that is allowed', () => {
    expect(request(tables, initial(tables))).not.toHaveProperty('membership_tier');
    expect(request(tables, { ...initial(tables), membership_tier: 'friends' })).toHaveProperty('membership_tier', 'friends');
  });

  it('sends what was typed where it is no number, for the server to refuse beside its field', () => {
    expect(request(straight, { ...initial(straight), rows: '' })).toHaveProperty('rows', '');
    expect(request(straight, { ...initial(straight), aisles_after: '5 x' })).toHaveProperty('aisles_after', [5, 'x']);
  });

  it('has six kinds, each with a name and its bounds', () => {
    expect(KINDS.map((kind) => kind.kind)).toEqual(['theatre', 'straight', 'curved', 'arena', 'tables', 'festival']);
    for (const kind of KINDS) {
      expect(kind.wishes[0]!.name).toBe('name');
      for (const wish of kind.wishes) if (wish.kind === 'number') expect(Number(wish.initial)).toBeGreaterThanOrEqual(wish.min!);
    }
  });
});
