// The same cases as tests/tickets/test_pricing.py: what the basket says is what the house asks for.
import { expect, test } from 'vitest';
import type { Charge, PromoEffect } from '../lib/contract';
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

const code = (more: Partial<PromoEffect>): PromoEffect => ({ code: 'X', kind: 'percent', basis_points: null, amount: null, left: null, ticket_type_ids: [], shown_type_ids: [], valid_until: null, ...more });

test.each<[string, Partial<PromoEffect>, number, number]>([
  ['a share of each line', { basis_points: 1000 }, -450, 4049],
  ['an amount, spread over the lines', { amount: 1000 }, -1000, 3499],
  ['no more than its types cost', { amount: 9999, ticket_type_ids: ['b'] }, -501, 3998],
  ['what is left of its budget', { basis_points: 5000, left: 100 }, -100, 4399],
])('a code takes off %s', (_, effect, off, total) => {
  const found = bill([{ ...ADULT, typeId: 'a' }, { ...CHILD, typeId: 'b' }], [], code(effect));
  expect(found).toEqual({ lines: [{ kind: 'discount', name: 'X', amount: off }], total });
});

test('fees and taxes are on what is left to pay', () => {
  const found = bill([ADULT, CHILD], [{ name: 'Service', kind: 'fee', amount: 100 }, { name: 'VAT', kind: 'tax', basis_points: 1000 }], code({ amount: 3998, ticket_type_ids: [] }));
  expect(found.lines.map(({ name, amount }) => [name, amount])).toEqual([['X', -3998], ['Service', 300], ['VAT', 80]]);
  const free = bill([{ ...ADULT, typeId: 'a' }, CHILD], [{ name: 'Service', kind: 'fee', amount: 100 }], code({ basis_points: 10_000, ticket_type_ids: ['a'] }));
  expect(free.lines.map(({ amount }) => amount)).toEqual([-3998, 100]); // what costs nothing bears no fee
});

test('a code that shows types takes nothing off', () => expect(bill([ADULT, CHILD], [], code({ kind: 'access' }))).toEqual({ lines: [], total: 4499 }));
