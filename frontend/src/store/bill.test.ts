// The same cases as tests/tickets/test_pricing.py: what the basket says is what the house asks for.
import { expect, test } from 'vitest';
import type { Charge } from '../lib/contract';
import { bill } from './bill';

const ADULT = { amount: 3998, quantity: 2 };
const CHILD = { amount: 501, quantity: 1 };
const FREE = { amount: 0, quantity: 3 };
const FEES: Charge[] = [
  { name: 'Service', kind: 'fee', amount: 150, basis_points: 200 },
  { name: 'Post', kind: 'fee', amount: 300, per: 'order' },
];

test('tickets add up', () => expect(bill([ADULT, CHILD], [])).toEqual({ lines: [], total: 4499 }));

test('fees are on what is paid for', () => {
  const { lines, total } = bill([ADULT, CHILD, FREE], FEES);
  expect(lines.map(({ amount }) => amount)).toEqual([2 * 150 + 80 + 150 + 10, 300]);
  expect(total).toBe(4499 + 540 + 300);
  expect(bill([FREE], FEES)).toEqual({ lines: [], total: 0 });
});

test.each([[false, 945, 5444], [true, 781, 4499]])('a tax is added or contained: %s', (included, tax, total) => {
  const found = bill([ADULT, CHILD], [{ name: 'VAT', kind: 'tax', basis_points: 2100, included }]);
  expect(found).toEqual({ lines: [{ kind: 'tax', name: 'VAT', amount: tax, included }], total });
});

test('taxes are on tickets and fees, whatever their order', () => {
  const charges: Charge[] = [{ name: 'VAT', kind: 'tax', basis_points: 1000 }, { name: 'Service', kind: 'fee', amount: 1, per: 'order' }];
  expect(bill([ADULT, CHILD], charges)).toMatchObject({ lines: [{ name: 'Service', amount: 1 }, { name: 'VAT', amount: 450 }], total: 4950 });
});
