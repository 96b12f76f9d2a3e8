// The device's snapshots: one whole, and what changed since. They are kept as they came, sealed, and opened at every start.
import type { Keys, Sheet } from './sheet';
import { open } from './sheet';
import type { KeptSheet, Shelf } from './shelf';

const CHANGES_MAX = 30;

/** What to ask for next, and from which version on the kept ones give way to it. */
export interface Next {
  since: number | null;
  replaces: number | null;
}

/** Many small changes are requested again as one; if more than half of the tickets changed, a full snapshot is. */
export function next(kept: Omit<KeptSheet, 'sealed'>[]): Next {
  const [whole, ...changes] = kept;
  const last = kept.at(-1);
  if (!whole || !last || whole.since !== null) return { since: null, replaces: 0 };
  if (changes.length < CHANGES_MAX) return { since: last.version, replaces: null };
  const changed = changes.reduce((sum, each) => sum + each.tickets, 0);
  return changed > whole.tickets / 2 ? { since: null, replaces: 0 } : { since: whole.version, replaces: whole.version + 1 };
}

export class Sheets {
  current: Sheet | null = null;

  constructor(
    private readonly shelf: Shelf,
    private readonly keys: Keys,
  ) {}

  async load(): Promise<void> {
    for (const each of await this.shelf.getAll('sheets')) {
      const sheet = await open(each.sealed, this.keys);
      if (!sheet) return this.burn(); // not ours any more: the next one comes whole
      this.put(sheet);
    }
  }

  /** False if the snapshot was not made for this device by its server. */
  async refresh(ask: (since: number | null) => Promise<KeptSheet['sealed']>): Promise<boolean> {
    const wanted = next(await this.shelf.getAll('sheets'));
    const sealed = await ask(wanted.since);
    const sheet = await open(sealed, this.keys);
    if (!sheet || sheet.header.since !== wanted.since) return false;
    const { version, since, tickets } = sheet.header;
    const tx = this.shelf.transaction('sheets', 'readwrite');
    if (wanted.replaces !== null) void tx.store.delete(IDBKeyRange.lowerBound(wanted.replaces));
    await Promise.all([tx.store.put({ version, since, tickets, sealed }), tx.done]);
    this.put(sheet);
    return true;
  }

  private put(sheet: Sheet): void {
    this.current = this.current && sheet.header.since !== null ? this.current.with(sheet) : sheet;
  }

  private async burn(): Promise<void> {
    this.current = null;
    await this.shelf.clear('sheets');
  }
}
