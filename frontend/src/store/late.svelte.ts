// A part of the page that is loaded only when it is about to be needed, from scripts that the page names. A phone in a hall
// loses its connection now and then: a script that failed is requested again, and the page shows if it still fails.

const PAUSES_MS = [500, 2000];

export class Late<Part> {
  part: Part | null = $state.raw(null);
  /** Why it failed: the server was not reached (`away`), or the script no longer exists after an update (`gone`). */
  failure: 'away' | 'gone' | null = $state(null);
  private loading: Promise<void> | null = null;
  private tries = 0;

  /** `scripts`: the last of them is the part itself. */
  constructor(
    private readonly scripts: string[],
    private readonly bring: (script: string) => Promise<unknown> = (script) => import(/* @vite-ignore */ script),
  ) {}

  /** Asked for as often as anybody likes, it is loaded once; after a failure, again. */
  load(): Promise<void> {
    return (this.loading ??= this.bringAll());
  }

  private async bringAll(): Promise<void> {
    this.failure = null;
    for (const pause of [...PAUSES_MS, null]) {
      // A browser may remember that a script failed, by its address.
      const again = this.tries++ ? `?again=${this.tries}` : '';
      try {
        const brought = await Promise.all(this.scripts.map((script) => this.bring(script + again)));
        this.part = brought.at(-1) as Part;
        return;
      } catch {
        if (pause) await new Promise((go) => setTimeout(go, pause));
      }
    }
    this.failure = await this.why();
    this.loading = null;
  }

  private async why(): Promise<'away' | 'gone'> {
    const { status } = await fetch(this.scripts.at(-1)!).catch(() => ({ status: 0 }));
    return status === 404 ? 'gone' : 'away';
  }
}
