// A page whose language did not come says so, in that language, where its program would be.
import { beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => vi.resetModules());

test.each([['af', /^Hierdie bladsy/], ['en', /^This page/], ['nl', /^This page/]])('%s', async (language, expected) => {
  vi.doMock('../language', () => ({ language }));
  const { canSpeak, speak } = await import('.'); // before any language
  const { en } = await import('./en');
  await import('../../store/hall.svelte'); // a program says nothing by being loaded
  const place = { textContent: '' } as HTMLElement;
  expect(canSpeak(place)).toBe(false);
  expect(place.textContent).toMatch(expected);
  speak(en);
  expect(canSpeak({} as HTMLElement)).toBe(true);
});
