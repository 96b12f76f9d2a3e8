import { describe, expect, it } from 'vitest';
import { percent, roundMoney } from '../console/figures';
import { count, dayName, minorDigits, money } from './format';

describe('figures in large type', () => {
  it('have every cent while they are small, then none, then a letter', () => {
    const shown = [850, 999_999, 8_352_550, 344_212_000].map((amount) => roundMoney({ amount, currency: 'EUR' }, 'en'));
    expect(shown).toEqual(['€8.50', '€9,999.99', '€83,526', '€3.44M']);
  });

  it('count in whole units where a currency has no smaller ones', () => {
    expect(roundMoney({ amount: 83_525, currency: 'JPY' }, 'en')).toBe('¥83,525');
  });
});

describe('days of a ticket', () => {
  it('are those of the calendar, wherever one is', () => {
    expect(dayName('2090-07-07', 'en-GB')).toBe('Fri 7 Jul');
  });
});

describe('shares', () => {
  it('have a digit more only below ten percent', () => {
    expect([0, 0.034, 0.0994, 0.0996, 0.605, 1].map((part) => percent(part, 'en'))).toEqual(['0%', '3.4%', '9.9%', '10%', '61%', '100%']);
  });
});

describe('what is written here', () => {
  // Not all that Intl knows: new ones come and go with its version.
  const currencies = 'AUD BRL CAD CHF CNY EUR GBP HKD ILS INR ISK JPY KRW KWD MXN NAD NZD PHP SEK THB TWD USD VND XAF XCD XOF XPF XXY ZAR'.split(' ');

  it.each(['en', 'af'])('is what Intl writes, in %s', (locale) => {
    for (const currency of currencies) {
      const digits = minorDigits(currency);
      const format = new Intl.NumberFormat(locale, { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits });
      for (const amount of [0, 5, 10_000, 123_456_789, -99_950]) expect(money({ amount, currency }, locale)).toBe(format.format(amount / 10 ** digits));
    }
    for (const n of [0, 7, 999, 1000, 20_000, 1_234_567, -4321, 2.5, 1234.25]) expect(count(n, locale)).toBe(new Intl.NumberFormat(locale).format(n));
  });
});
