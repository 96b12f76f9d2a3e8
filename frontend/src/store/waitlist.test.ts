import { expect, test, vi } from 'vitest';
import type { Basket } from './basket.svelte';
import type { Hall } from './hall.svelte';
import { Visitor } from './visitor.svelte';
import { Waitlist } from './waitlist.svelte';

test('whoever presses twice leaves the list once', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (path: string, { method }: { method: string }) => {
    asked.push(`${method} ${path}`);
    return new Response(null, { status: 204 });
  });
  const list = new Waitlist('e1', new Visitor('house', 'h1', false), {} as Hall, {} as Basket);
  await Promise.all([list.leave(), list.leave()]);
  expect(asked).toEqual(['DELETE /api/events/e1/waitlist']);
  expect(list.isBusy).toBe(false);
});
