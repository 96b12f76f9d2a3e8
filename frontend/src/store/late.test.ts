// A part of the page that comes later: once, after a failure again, and never from an address that has failed.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Late } from './late.svelte';

const PART = { is: 'the checkout' };
let asked: string[];
let fails: number;
let status: number;

const late = () =>
  new Late<typeof PART>(['/words.js', '/checkout.js'], async (script) => {
    asked.push(script);
    if (script.startsWith('/checkout') && fails-- > 0) throw new TypeError('Failed to fetch');
    return script.startsWith('/checkout') ? PART : {};
  });

beforeEach(() => {
  vi.useFakeTimers();
  [asked, fails, status] = [[], 0, 0];
  vi.stubGlobal('fetch', async () => {
    if (!status) throw new TypeError('lost');
    return new Response(null, { status });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function loaded(one: Late<typeof PART>): Promise<void> {
  const loading = one.load();
  await vi.runAllTimersAsync();
  await loading;
}

test('whoever asks for it, it is loaded once', async () => {
  const one = late();
  await Promise.all([one.load(), one.load()]);
  await one.load();
  expect([one.part, one.failure, asked]).toEqual([PART, null, ['/words.js', '/checkout.js']]);
});

test('what fails for a moment is asked for again, by an address of its own', async () => {
  fails = 2;
  const one = late();
  await loaded(one);
  expect([one.part, one.failure]).toEqual([PART, null]);
  expect(asked.filter((script) => script.startsWith('/checkout'))).toEqual(['/checkout.js', '/checkout.js?again=2', '/checkout.js?again=3']);
});

test('after three failures it says so, and another try brings it', async () => {
  fails = 3;
  const one = late();
  await loaded(one);
  expect([one.part, one.failure]).toEqual([null, 'away']);
  const again = one.load();
  expect(one.failure).toBe(null);
  await again;
  expect([one.part, one.failure]).toEqual([PART, null]);
  expect(new Set(asked).size).toBe(asked.length);
});

test('a script that is gone is of a page from before an update', async () => {
  [fails, status] = [3, 404];
  const one = late();
  await loaded(one);
  expect(one.failure).toBe('gone');
});
