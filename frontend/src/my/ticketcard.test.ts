import { render } from 'svelte/server';
import { expect, test } from 'vitest';
import TicketCard from './TicketCard.svelte';
import type { MyTickets, Ticket } from './tickets.svelte';

test.each([
  [{ type_name: 'Full', holder_name: 'Ada' }, 'Full · Ada · 7'],
  [{ type_name: null, holder_name: 'Ada' }, 'Ada · 7'],
  [{ type_name: null, holder_name: '' }, '7'],
])('a ticket says what is known of it, and no dot for what is not: %o', (known, expected) => {
  const ticket = { id: 'k1', number: '7', qr: null, event_status: 'completed', ...known } as unknown as Ticket;
  const mine = { moveOf: () => null, state: 'past' } as unknown as MyTickets;
  const { body } = render(TicketCard, { props: { mine, ticket, attempt: async () => {}, passOn: () => {}, mailAgain: () => {} } });
  const [, line = ''] = /<span class="muted[^>]*>(.*?)<\/span><\/span>/.exec(body) ?? [];
  expect(line.replaceAll(/<[^>]*>/g, '')).toBe(expected);
});
