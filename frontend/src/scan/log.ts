// The scans of this device: stored before a verdict is shown, sent to the server, and dropped once a snapshot has them.
//
//   asked    has a number, but no verdict yet: the request to the server runs
//   waits    decided here, not synced yet
//   told     the server has it; our snapshot may not
//   settled  our snapshot has it, too: kept for the list of recent scans
import type { Move, Seen } from './judge';
import type { Direction, Presence } from './policy';
import type { Brought } from './qr';
import { type Shelf, type Tally, kept } from './shelf';

export type State = 'asked' | 'waits' | 'told' | 'settled';

export interface Wish {
  brought: Brought;
  direction: Direction;
  gateId: string; // '' where it was a gate of another pairing
  test: boolean;
  override: string | null;
}

export interface Decision {
  admitted: boolean;
  reason: string | null;
  day: string;
  code: string | null; // of the ticket, if it is one of ours
  label: string; // where it sits
  presence: Presence | null; // where the ticket stands afterwards, if that changed
  move: Move | null;
  scanId: string | null; // the server's id for it
}

/** The pairing under which a scan was seen, where it was not this one; and the proof that this device was that one. */
export interface Former {
  device: string;
  proof: string;
}

export interface Entry extends Wish {
  counter: number; // of that pairing
  at: number;
  state: State;
  decision: Decision | null;
  undone: string | null; // why
  refused: string | null; // why the server rejected it
  former?: Former;
}

const HISTORY = 100;
const UNSURE_MS = 60_000; // later it is another visit

export class Log implements Seen {
  /** How many are not synced yet. */
  waiting = 0;
  tally: Tally = { day: '', in: 0, out: 0 };
  private open: Entry[] = []; // waits and told, by counter

  private constructor(private readonly shelf: Shelf) {}

  static async load(shelf: Shelf): Promise<Log> {
    const log = new Log(shelf);
    log.tally = (await kept<Tally>(shelf, 'tally')) ?? log.tally;
    const waits = await shelf.getAllFromIndex('scans', 'state', 'waits');
    const told = await shelf.getAllFromIndex('scans', 'state', 'told');
    log.waiting = waits.length;
    log.open = [...waits, ...told].sort((a, b) => a.counter - b.counter);
    return log;
  }

  /** Stores a scan under the next number. A repeat of one that got no verdict keeps its number, so that it counts once. */
  async begin(wish: Wish, at: number): Promise<Entry> {
    const tx = this.shelf.transaction(['kept', 'scans'], 'readwrite', { durability: 'strict' });
    const scans = tx.objectStore('scans');
    const [unsure] = await scans.index('state').getAll('asked');
    if (unsure && at - unsure.at < UNSURE_MS && same(unsure, wish)) {
      await tx.done;
      return unsure;
    }
    if (unsure) await scans.delete(unsure.counter);
    const counter = (((await tx.objectStore('kept').get('counter')) as number | undefined) ?? 0) + 1;
    const entry: Entry = { ...wish, counter, at, state: 'asked', decision: null, undone: null, refused: null };
    await Promise.all([tx.objectStore('kept').put(counter, 'counter'), scans.put(entry), tx.done]);
    return entry;
  }

  /** The verdict, written down before it is shown. */
  async settle(entry: Entry, decision: Decision, state: 'waits' | 'told'): Promise<Entry> {
    const done: Entry = { ...entry, decision, state };
    const tally = this.counted(done, 1);
    const tx = this.shelf.transaction(['kept', 'scans'], 'readwrite', { durability: 'strict' });
    await Promise.all([tx.objectStore('scans').put(done), tx.objectStore('kept').put(tally, 'tally'), tx.done]);
    this.tally = tally;
    this.open.push(done);
    if (state === 'waits') this.waiting += 1;
    return done;
  }

  /** Drops a scan that the server refused to decide. */
  async drop(entry: Entry): Promise<void> {
    await this.shelf.delete('scans', entry.counter);
  }

  /** In the order in which they happened. */
  untold(most: number): Promise<Entry[]> {
    return this.shelf.getAllFromIndex('scans', 'state', 'waits', most);
  }

  /** The synced ones: a snapshot that is requested from now on includes them. */
  told(): Entry[] {
    return this.open.filter((entry) => entry.state === 'told');
  }

  async tell(entries: Entry[], refused: string | null = null): Promise<void> {
    await this.move(entries, (entry) => ({ ...entry, state: 'told', refused }));
    this.waiting -= entries.length;
  }

  async cover(entries: Entry[]): Promise<void> {
    await this.move(entries, (entry) => ({ ...entry, state: 'settled' }));
    this.open = this.open.filter((entry) => entry.state !== 'settled');
    const old = (await this.shelf.getAllKeysFromIndex('scans', 'state', 'settled')).slice(0, -HISTORY);
    const tx = this.shelf.transaction('scans', 'readwrite');
    await Promise.all([...old.map((counter) => tx.store.delete(counter)), tx.done]);
  }

  /** If not synced yet, it is sent as not admitted. If synced, the server has undone it already. */
  async undo(entry: Entry, why: string): Promise<void> {
    const tally = this.counted(entry, -1);
    const decision = entry.decision && { ...entry.decision, presence: null, move: null, ...(entry.state === 'waits' ? { admitted: false, reason: 'undone' } : {}) };
    const undone = { ...entry, decision, undone: why };
    const tx = this.shelf.transaction(['kept', 'scans'], 'readwrite', { durability: 'strict' });
    await Promise.all([tx.objectStore('scans').put(undone), tx.objectStore('kept').put(tally, 'tally'), tx.done]);
    this.tally = tally;
    this.open = this.open.map((each) => (each.counter === entry.counter ? undone : each));
  }

  async find(counter: number): Promise<Entry | null> {
    return (await this.shelf.get('scans', counter)) ?? null;
  }

  /** The last ones, the newest first. */
  async recent(): Promise<Entry[]> {
    const found: Entry[] = [];
    let cursor = await this.shelf.transaction('scans').store.openCursor(null, 'prev');
    while (cursor && found.length < HISTORY) {
      if (cursor.value.decision) found.push(cursor.value);
      cursor = await cursor.continue();
    }
    return found;
  }

  // --- what this device has seen since its snapshot

  presence(code: string): Presence | null {
    return this.open.findLast((entry) => entry.decision?.code === code && entry.decision.presence)?.decision?.presence ?? null;
  }

  inside(kind: 'gate' | 'zone', id: string): number {
    return this.open.reduce((sum, { decision }) => sum + (decision?.move?.[kind] === id ? decision.move.by : 0), 0);
  }

  private async move(entries: Entry[], how: (entry: Entry) => Entry): Promise<void> {
    const moved = new Map(entries.map((entry) => [entry.counter, how(entry)]));
    const tx = this.shelf.transaction('scans', 'readwrite', { durability: 'strict' });
    await Promise.all([...[...moved.values()].map((entry) => tx.store.put(entry)), tx.done]);
    this.open = this.open.map((entry) => moved.get(entry.counter) ?? entry);
  }

  private counted(entry: Entry, by: 1 | -1): Tally {
    const { decision, direction, test } = entry;
    if (!decision) return this.tally;
    const today = decision.day >= this.tally.day ? decision.day : this.tally.day;
    const now = this.tally.day === today ? this.tally : { day: today, in: 0, out: 0 };
    if (!decision.admitted || test || decision.day !== today) return now;
    return { ...now, [direction]: Math.max(0, now[direction] + by) };
  }
}

function same(entry: Entry, wish: Wish): boolean {
  const { brought, direction, gateId, test, override } = wish;
  return (
    entry.brought.qr === brought.qr && entry.brought.code === brought.code && entry.direction === direction && entry.gateId === gateId && entry.test === test && entry.override === override
  );
}
