import { describe, expect, it } from 'vitest';
import { percent } from '../figures';
import { aim, at, limits, shown, type Measure } from './measures';

function measure(name: string, low: number, high: number, target_low: number, target_high: number): Measure {
  return { name, value: null, state: 'good', low, high, target_low, target_high, why: null };
}
const orphans = measure('orphans', 0, 0.1, 0, 0.05);
const vip = measure('vip', 0.4, 0.95, 0.6, 0.9);
const load = measure('layout_load', 0, 0.2, 0, 0.05);
const hits = measure('layout_hits', 0.8, 1, 0.95, 1);

describe('measures and their bounds', () => {
  it('says the aim and the limits', () => {
    expect([aim(orphans), limits(orphans)]).toEqual(['below 5%', 'above 10%']);
    expect([aim(vip), limits(vip)]).toEqual(['60% to 90%', 'below 40% or above 95%']);
    expect([aim(load), limits(load)]).toEqual(['below 50 ms', 'above 200 ms']);
    expect([aim(hits), limits(hits)]).toEqual(['95% or more', 'below 80%']);
  });

  it('puts a value on its scale, and what lies beyond at the edge', () => {
    expect(at(orphans, 0.1)).toBe(0.5);
    expect(at(orphans, 0.9)).toBe(1);
    expect(at(load, -1)).toBe(0);
  });

  it('writes small parts finely', () => {
    expect([percent(0), percent(0.034), percent(0.5), percent(1)]).toEqual(['0%', '3.4%', '50%', '100%']);
    expect(shown(load, 0.0123)).toBe('12 ms');
    expect(shown(vip, null)).toBe('no value');
  });
});
