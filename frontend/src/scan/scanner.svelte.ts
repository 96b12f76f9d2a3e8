// The scanner of one gate: its pairing, its state, its scans, and syncing its storage with the server.
import { Offline, Problem } from '../lib/api';
import { save } from '../lib/files/save';
import { fromBase64 } from './bytes';
import { judge } from './judge';
import { Line, type Live, WAIT_MS, houseTime } from './line';
import { type Decision, type Entry, Log, type Wish } from './log';
import type { Direction } from './policy';
import type { Brought } from './qr';
import type { Header, Sheet } from './sheet';
import { Sheets } from './sheets';
import { type Choices, type Device, type Shelf, forget, kept, openShelf } from './shelf';
import { battery, signal } from './signals';
import { type Stranded, asFile, bringBack, expire, strand, stranded } from './stranded';
import { type Shown, fromHere, fromHouse } from './verdicts';
import { count, sentence } from './words';
import { speech, t } from './words/speech.svelte';

export type Phase = 'starting' | 'insecure' | 'elsewhere' | 'unpaired' | 'ready';

const SYNC_MS = { online: 20_000, offline: 5_000 };
const BATCH = 1_000;
const GOOD_FOR_MS = 4_000; // an admission disappears by itself; a refusal stays until it is dismissed
const CLOCK_MS = 30_000; // a smaller difference is network delay
const USUAL: Choices = { gateId: null, direction: 'in', test: false, sound: true, camera: true };

export class Scanner {
  phase: Phase = $state('starting');
  device: Device | null = $state.raw(null);
  choices: Choices = $state.raw(USUAL);
  header: Header | null = $state.raw(null);
  live: Live | null = $state.raw(null);
  shown: Shown | null = $state.raw(null);
  problem = $state(''); // why a scan could not be decided
  online = $state(false);
  busy = $state(false);
  waiting = $state(0);
  tickets = $state(0);
  tally = $state.raw({ in: 0, out: 0 });
  clockOffMs = $state(0);
  stranded: Stranded[] = $state.raw([]); // by pairings that ended

  private shelf: Shelf | null = null;
  private line: Line | null = null;
  private log: Log | null = null;
  private sheets: Sheets | null = null;
  private chain: Promise<unknown> = Promise.resolve();
  private syncing: Promise<void> | null = null;
  private charge: number | null = null; // the battery's
  private timer: ReturnType<typeof setTimeout> | undefined;
  private fading: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly version: string) {}

  // --- beginning and end

  async start(): Promise<void> {
    if (!globalThis.isSecureContext) {
      this.phase = 'insecure';
      return;
    }
    if (!(await onlyOne())) {
      this.phase = 'elsewhere';
      return;
    }
    this.shelf = await openShelf();
    this.choices = { ...USUAL, ...(await kept<Choices>(this.shelf, 'choices')) };
    this.clockOffMs = (await kept<number>(this.shelf, 'clockOff')) ?? 0;
    this.stranded = await stranded(this.shelf);
    const device = await kept<Device>(this.shelf, 'device');
    addEventListener('online', () => void this.sync());
    addEventListener('offline', () => (this.online = false));
    if (device) await this.enter(device);
    else this.phase = 'unpaired';
    void this.tidy();
  }

  /** Deletes scans of former pairings that are too old, and shows a message about it. */
  private async tidy(): Promise<void> {
    const now = this.stranded.length ? await houseTime() : null;
    const over = this.shelf && now !== null ? await expire(this.shelf, now) : [];
    if (!over.length || !this.shelf) return;
    this.stranded = await stranded(this.shelf);
    const scans = over.reduce((sum, { entries }) => sum + entries.length, 0);
    this.problem = t.expired(t.scans(count(scans)), over.map(({ show }) => show).join(', '));
  }

  async pair(organization: string, code: string): Promise<void> {
    if (!this.shelf) return;
    const told = await new Line(null, this.version).pair(organization.trim().toLowerCase(), code.replace(/[\s-]/g, '').toUpperCase());
    const device: Device = {
      id: told.device.id,
      name: told.device.name,
      eventId: told.device.event_id,
      organization,
      token: told.token,
      key: await crypto.subtle.importKey('raw', fromBase64(told.key), 'AES-GCM', false, ['decrypt']),
      verifyKey: fromBase64(told.verify_key),
      rights: told.device.rights,
      gates: told.gates.map(({ id, name }) => ({ id, name })),
      locale: told.locale,
    };
    this.stranded = await bringBack(this.shelf, device);
    const [gate] = device.gates;
    await this.choose({ ...USUAL, gateId: device.gates.length === 1 && gate ? gate.id : null });
    void navigator.storage?.persist?.();
    await this.enter(device);
  }

  /** Unsynced scans stay until the event is paired again or staff delete them. */
  leave(why = ''): Promise<void> {
    return this.inTurn(() => this.end(why));
  }

  get strandedScans(): number {
    return this.stranded.reduce((sum, { entries }) => sum + entries.length, 0);
  }

  saveStranded(): void {
    save(asFile(this.stranded, this.now(), this.version), 'scans-not-synced.json');
  }

  async dropStranded(): Promise<void> {
    if (!this.shelf) return;
    if (this.device) await this.shelf.delete('kept', 'stranded');
    else await forget(this.shelf);
    this.stranded = [];
  }

  /** Waits for a sync that runs, so that synced scans are not sent twice. */
  private async end(why: string): Promise<void> {
    const { shelf, device } = this;
    if (!shelf || !device) return;
    await this.syncing?.catch(() => undefined);
    this.line = null; // no sync starts from here on
    clearTimeout(this.timer);
    const over = this.header?.days.reduce((last, day) => Math.max(last, day.until), 0);
    this.stranded = await strand(shelf, device, this.header?.event.name ?? device.name, over);
    Object.assign(this, { log: null, sheets: null, device: null, header: null, live: null, shown: null, choices: USUAL, waiting: 0 });
    this.problem = why;
    this.phase = 'unpaired';
  }

  private async enter(device: Device): Promise<void> {
    if (!this.shelf) return;
    this.device = device;
    await speech.suggest(device.locale).catch(() => undefined);
    this.line = new Line(device.token, this.version);
    this.sheets = new Sheets(this.shelf, { deviceId: device.id, key: device.key, verifyKey: device.verifyKey });
    this.log = await Log.load(this.shelf);
    await this.sheets.load();
    this.look();
    this.phase = 'ready';
    void this.sync();
  }

  // --- choices

  async choose(some: Partial<Choices>): Promise<void> {
    this.choices = { ...this.choices, ...some };
    await this.shelf?.put('kept', { ...this.choices }, 'choices');
  }

  get gate(): { id: string; name: string } | null {
    return this.device?.gates.find((gate) => gate.id === this.choices.gateId) ?? null;
  }

  get timezone(): string {
    return this.header?.event.timezone ?? 'UTC';
  }

  may(right: 'search' | 'override'): boolean {
    return (this.header?.device.rights ?? this.device?.rights ?? []).includes(right);
  }

  /** This gate's: the server's last count; without one, the snapshot's plus the scans since. */
  get insideHere(): number {
    const id = this.choices.gateId ?? '';
    const told = this.live?.gates.find((gate) => gate.id === id);
    if (told) return told.inside;
    void this.waiting; // reads anew when the log moves
    return (this.header?.gates.find((gate) => gate.id === id)?.inside ?? 0) + (this.log?.inside('gate', id) ?? 0);
  }

  // --- scanning

  /** One after the other: a hand-held scanner may read faster than the server responds. */
  scan(brought: Brought, more: { override?: string; direction?: Direction } = {}): Promise<void> {
    return this.inTurn(() => this.one(brought, more));
  }

  private inTurn(what: () => Promise<void>): Promise<void> {
    const next = this.chain.then(what);
    this.chain = next.catch(() => undefined);
    return next;
  }

  next(): void {
    clearTimeout(this.fading);
    this.shown = null;
    this.problem = '';
  }

  private async one(brought: Brought, more: { override?: string; direction?: Direction }): Promise<void> {
    const { log, choices } = this;
    if (!log || !choices.gateId) return;
    this.busy = true;
    const wish: Wish = { brought, direction: more.direction ?? choices.direction, gateId: choices.gateId, test: choices.test, override: more.override ?? null };
    try {
      const entry = await log.begin(wish, this.now());
      const outcome = (await this.askHouse(entry, log)) ?? (await this.decideHere(entry, log));
      if (outcome) this.show(outcome);
      else this.fail(t.cannotDecide);
    } catch (error) {
      if (error instanceof Problem && error.status === 401) await this.end(t.revoked);
      else this.fail(error instanceof Problem ? sentence(error) : t.notSaved);
    } finally {
      this.busy = false;
      this.look();
    }
  }

  /** Null if there was no response in time: then the device decides. */
  private async askHouse(entry: Entry, log: Log): Promise<Shown | null> {
    if (!this.online || !this.line) return null;
    try {
      const answer = await this.line.scan(entry, this.charge);
      const { decision, show } = fromHouse(answer, entry, this.sheets?.current ?? null, log, this.timezone);
      this.count(decision, entry.direction);
      return show(await log.settle(entry, decision, 'told'));
    } catch (error) {
      if (error instanceof Problem && error.status !== 401) await log.drop(entry);
      if (!(error instanceof Offline)) throw error;
      this.online = false;
      this.schedule();
      return null;
    }
  }

  private async decideHere(entry: Entry, log: Log): Promise<Shown | null> {
    const sheet: Sheet | null = this.sheets?.current ?? null;
    const ask = { ...entry, override: entry.override !== null && this.may('override') };
    const judged = sheet && (await judge(sheet, log, ask, entry.at));
    if (!judged) return null;
    const { decision, show } = fromHere(judged, entry, sheet);
    this.count(decision, entry.direction);
    return show(await log.settle(entry, decision, 'waits'));
  }

  /** Applies a scan to the counts until the server sends new ones. */
  private count({ move }: Decision, direction: Direction): void {
    if (!this.live || !move) return;
    const came = direction === 'in' ? 1 : 0;
    const gates = this.live.gates.map((gate) => (gate.id === move.gate ? { ...gate, inside: gate.inside + move.by, entered: gate.entered + came } : gate));
    this.live = { ...this.live, gates, inside: this.live.inside + move.by, entered: this.live.entered + came };
  }

  private show(shown: Shown): void {
    this.next();
    this.shown = shown;
    signal(shown.tone, this.choices.sound);
    const calm = shown.tone === 'go' && !shown.ticket?.accessibility;
    if (calm) this.fading = setTimeout(() => this.next(), GOOD_FOR_MS);
  }

  private fail(problem: string): void {
    this.next();
    this.problem = problem;
    signal('stop', this.choices.sound);
  }

  // --- what was scanned

  recent(): Promise<Entry[]> {
    return this.log?.recent() ?? Promise.resolve([]);
  }

  /** An unsynced scan is undone here. For one that was synced later, the server is first asked for the scan's id. */
  async undo(entry: Entry, why: string): Promise<void> {
    const { log } = this;
    if (!log) return;
    await this.syncing; // it may be on its way
    const found = (await log.find(entry.counter)) ?? entry;
    if (found.state !== 'waits') {
      await this.ask(async (line) => line.undo(found.decision?.scanId ?? (await line.scan(found, null)).scan_id, why));
    }
    await log.undo(found, why);
    this.look();
    if (this.shown?.entry.counter === entry.counter) this.next();
    void this.sync();
  }

  /** A request that only the server can answer. */
  async ask<T>(what: (line: Line) => Promise<T>): Promise<T> {
    if (!this.line) throw new Offline('not paired');
    try {
      return await what(this.line);
    } catch (error) {
      if (error instanceof Offline) this.online = false;
      if (error instanceof Problem && error.status === 401) void this.leave(t.revoked); // after this: it waits for what goes on
      throw error;
    }
  }

  // --- the server

  /** Sends scans, then fetches what is new. Concurrent callers share one sync. */
  sync(): Promise<void> {
    this.syncing ??= this.exchange().finally(() => {
      this.syncing = null;
      this.schedule();
    });
    return this.syncing;
  }

  private async exchange(): Promise<void> {
    const { log, sheets } = this;
    if (!log || !sheets) return;
    try {
      await this.hear();
      await this.tell(log);
      const told = log.told();
      const good = await sheets.refresh((since) => this.ask((line) => line.snapshot(since)));
      if (good) await log.cover(told);
      if (good) await this.setClock(sheets.current);
      if (told.length) await this.hear();
    } catch (error) {
      if (!(error instanceof Offline || error instanceof Problem)) throw error;
    } finally {
      this.look();
    }
  }

  /** A server that responds too slowly for a person at the gate counts as offline for scans; they are still synced. */
  private async hear(): Promise<void> {
    this.charge = await battery();
    const began = performance.now();
    this.live = await this.ask((line) => line.live());
    this.online = performance.now() - began < WAIT_MS.scan;
  }

  private async tell(log: Log): Promise<void> {
    for (let batch = await log.untold(BATCH); batch.length; batch = await log.untold(BATCH)) {
      await this.tellAll(log, batch);
      this.look();
    }
  }

  /** A scan that the server rejects must not block the others: the batch is halved, down to that one. */
  private async tellAll(log: Log, entries: Entry[]): Promise<void> {
    try {
      await this.ask((line) => line.tell(entries, this.now(), this.charge));
      await log.tell(entries);
    } catch (error) {
      if (!(error instanceof Problem) || error.status === 401) throw error;
      if (entries.length === 1) return log.tell(entries, sentence(error));
      const half = entries.length >> 1;
      await this.tellAll(log, entries.slice(0, half));
      await this.tellAll(log, entries.slice(half));
    }
  }

  /** Corrects a clock that is plainly wrong by the server's: days and memberships depend on it. */
  private async setClock(sheet: Sheet | null): Promise<void> {
    const off = (sheet?.header.version ?? Date.now()) - Date.now();
    this.clockOffMs = Math.abs(off) < CLOCK_MS ? 0 : off;
    await this.shelf?.put('kept', this.clockOffMs, 'clockOff');
  }

  private now(): number {
    return Date.now() + this.clockOffMs;
  }

  private look(): void {
    this.header = this.sheets?.current?.header ?? null;
    this.tickets = this.sheets?.current?.size ?? 0;
    this.waiting = this.log?.waiting ?? 0;
    this.tally = this.log?.tally ?? { in: 0, out: 0 };
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (this.line) this.timer = setTimeout(() => void this.sync(), this.online ? SYNC_MS.online : SYNC_MS.offline);
  }
}

/** Two windows of one device would not see each other's scans. */
function onlyOne(): Promise<boolean> {
  return new Promise((done) => {
    void navigator.locks.request('fullhouse-gate', { ifAvailable: true }, (lock) => {
      done(lock !== null);
      return lock && new Promise(() => undefined);
    });
  });
}
