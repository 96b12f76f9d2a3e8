// A list, and what is chosen of it. Where both have room, what is chosen changes beside the list. Where they have not, each
// is a page: Back leads to the list, and the focus goes along, because what had it is hidden.

import { untrack } from 'svelte';
import { MediaQuery } from 'svelte/reactivity';
import { ask, place, stepBack } from '../place.svelte';

export class Shelf {
  readonly rows: Record<string, HTMLElement | null> = {};
  readonly chosen = $derived.by(() => place().query.get(this.name));
  readonly #narrow = new MediaQuery('max-width: 960px'); // as the pages' styles have it
  #before: string | null;

  /** `name` is the query parameter that has the selected row. */
  constructor(private readonly name: string) {
    const path = place().path;
    this.#before = untrack(() => this.chosen);
    $effect(() => {
      const [before, now] = [this.#before, this.chosen];
      this.#before = now;
      if (before && !now && path === place().path) this.rows[before]?.focus();
    });
  }

  get narrow(): boolean {
    return this.#narrow.current;
  }

  choose(one: string): void {
    ask({ [this.name]: one }, { step: this.narrow });
  }

  close(): void {
    if (!stepBack()) ask({ [this.name]: null });
  }

  /** For the heading of what is chosen. A page that was opened by its address keeps the focus at its beginning. */
  readonly heading = (node: HTMLElement): void => untrack(() => {
    if (this.narrow && history.state?.step) node.focus();
  });
}
