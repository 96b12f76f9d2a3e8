import { tick } from 'svelte';

/** To the first heading of the box office: what is below it is new. */
export function toHeading(office: HTMLElement | null | undefined): void {
  const title = office?.querySelector<HTMLElement>('h2');
  title?.setAttribute('tabindex', '-1');
  title?.focus({ preventScroll: true });
}

/** The button that was pressed may be gone after an action. The focus then moves to what stands in its place, or else to the
 * first heading. */
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
