import { tick } from 'svelte';

/** To the first heading of the box office: what is below it is new. */
export function toHeading(office: HTMLElement | null | undefined): void {
  const title = office?.querySelector<HTMLElement>('h2');
  title?.setAttribute('tabindex', '-1');
  title?.focus({ preventScroll: true });
}

/** What was pressed may be gone afterwards. Whoever uses a keyboard then goes on at what stands in its place; where nothing
 * does, at the beginning. */
export async function stay(place: HTMLElement | undefined, deed: Promise<void>, next: (place: HTMLElement) => HTMLElement | null | undefined): Promise<void> {
  const wasHere = place?.contains(document.activeElement);
  const office = place?.closest<HTMLElement>('.office');
  await deed;
  await tick();
  if (!place || !wasHere || document.activeElement !== document.body) return;
  const found = place.isConnected && next(place);
  if (found) found.focus();
  else toHeading(office);
}
