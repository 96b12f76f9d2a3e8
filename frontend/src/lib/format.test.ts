import { describe, expect, it } from 'vitest';
import { percent, roundMoney } from './format';

describe('figures in large type', () => {
  it('have every cent while they are small, then none, then a letter', () => {
    const shown = [850, 999_999, 8_352_550, 344_212_000].map((amount) => roundMoney({ amount, currency: 'EUR' }, 'en'));
    expect(shown).toEqual(['€8.50', '€9,999.99', '€83,526', '€3.44M']);
  });

  it('count in whole units where a currency has no smaller ones', () => {
    expect(roundMoney({ amount: 83_525, currency: 'JPY' }, 'en')).toBe('¥83,525');
  });
});

describe('shares', () => {
  it('have a digit more only below ten percent', () => {
    expect([0, 0.034, 0.0994, 0.0996, 0.605, 1].map((part) => percent(part, 'en'))).toEqual(['0%', '3.4%', '9.9%', '10%', '61%', '100%']);
  });
});
