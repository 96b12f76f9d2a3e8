import { tick } from 'svelte';

/** What was pressed may be gone afterwards. Whoever uses a keyboard then goes on at what stands in its place. */
export async function stay(place: HTMLElement | undefined, deed: Promise<void>, next: (place: HTMLElement) => HTMLElement | null | undefined): Promise<void> {
  const wasHere = place?.contains(document.activeElement);
  await deed;
  await tick();
  if (place && wasHere && document.activeElement === document.body) next(place)?.focus();
}
