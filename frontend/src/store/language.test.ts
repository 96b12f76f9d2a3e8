import { expect, test, vi } from 'vitest';
import { Basket } from './basket.svelte';
import type { Hall } from './hall.svelte';
import { Visitor } from './visitor.svelte';

vi.mock('../lib/language', () => ({ language: 'af' }));

test('the best that are left come with their reason, in the language of the page', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (path: string, { body }: { body: string }) => {
    if (path === '/api/auth/sessions') return new Response(JSON.stringify({ data: [{ id: 'h1', user_name: 'A', email: null }] }));
    asked.push(JSON.parse(body).best_available.language);
    return new Response(JSON.stringify({ data: { items: [], held_until_unix_ms: null, server_time_unix_ms: Date.now(), explanation: '3 langs mekaar in ry A' } }));
  });
  const say = vi.fn();
  await new Basket('e1', new Visitor('house', 'h1', false), { map: null, shown: null, keep: () => {} } as unknown as Hall, say, () => false).best(3);
  expect(asked).toEqual(['af']);
  expect(say).toHaveBeenCalledWith('3 langs mekaar in ry A');
});
