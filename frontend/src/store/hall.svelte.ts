// The house and its seats, live: geometry once, states again and again. Hints, never the truth: what sells asks the house.

import { type Api, Problem } from '../lib/api';
import type { Money } from '../lib/format';
import { type Live, listen } from '../lib/live';
import { AVAILABLE, BLOCKED, COMPANION, type Geometry, HELD, RESTRICTED_VIEW, SOLD, WHEELCHAIR } from '../lib/map/geometry';
import type { Delta, SeatMap } from '../lib/map/seatmap';
import { judge } from '../lib/map/versions';
import { t } from '../lib/words';
import type { Offer, ZoneRow } from './model';

interface Occupancy {
  zones: { zone_id: string; available: number }[];
}

/** The seats as the line begins with them: which states it goes on from, and how full it is then. */
interface Begun {
  layout_id: string;
  version: string;
  occupancy: Occupancy;
}

/** What a plan says of its zones and seats, before a show says otherwise. */
interface Plain {
  zones: { name: string; price: number }[];
  price: Uint8Array;
}

/** What is offered now; without it, something about the show is different, and who wants to know asks. */
type Told = (offers?: Offer[]) => void;

/** Of the line for changes: whether it stands. */
type Line = 'opening' | 'open' | 'lost';

/** What is said of an outage: there is one, or it was over a moment ago. */
type Outage = 'none' | 'lost' | 'over';

const REREAD_MS = 1000;
const RETRY_MS = 5000; // and up to twice as long: what fails, fails for many
const COUNT_MS = 300;
const OVER_MS = 5000;
const SPREAD_MS = 2000; // a line that begins anew does so for everybody at once: who asks then, asks within this

// By the names of their words: what they say is known only once a language has spoken.
const KINDS: Record<number, 'wheelchair' | 'companion' | 'restricted'> = { [WHEELCHAIR]: 'wheelchair', [COMPANION]: 'companion', [RESTRICTED_VIEW]: 'restricted' };
const STATES: Record<number, 'free' | 'otherBasket' | 'sold'> = { [AVAILABLE]: 'free', [HELD]: 'otherBasket', [SOLD]: 'sold' };

export class Hall {
  hasMap: boolean | null = $state(null);
  geometry: ArrayBuffer | null = $state.raw(null);
  zones: ZoneRow[] = $state.raw([]);
  map: SeatMap | null = $state.raw(null);
  line: Line = $state('opening');
  outage: Outage = $state('none');
  readonly kept = new Set<number>(); // companion seats that are reserved for me
  left: number[] = $state.raw([]); // what can be had at each price
  shown: number[] | null = $state.raw(null); // the prices that are not dimmed; null for all
  least: Money | null = $state.raw(null); // what a place costs at least, once that has changed
  changes = $state(0); // counted, for whoever lists seats
  private plain: Plain | null = null;
  private read = gate(); // the states are here, or cannot be had
  private made = gate(); // the map is on the page
  private reading: Promise<void> | null = null;
  private live: Live | null = null;
  private missed: Delta[] | null = null; // what was told while the states were being read
  private begun: Begun | null = null; // the line began meanwhile
  private latest: Occupancy | null = null; // what it said last of how full it is
  private soon: ReturnType<typeof setTimeout> | undefined;
  private counting: ReturnType<typeof setTimeout> | undefined;
  private asking: ReturnType<typeof setTimeout> | undefined;
  private telling: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly api: Api,
    private readonly eventId: string,
    private layoutId: string, // as the page says; empty for a show without seats
  ) {}

  /** All that a visit begins with is asked for at once; most of it is underway since the page's head. Tried again, a map that
   * is there stays. */
  async load(told: Told): Promise<void> {
    this.listen(told);
    await (this.geometry ? this.refresh() : this.loadMap());
  }

  private async loadMap(): Promise<void> {
    this.hasMap = this.layoutId ? null : false;
    this.geometry = this.map = this.plain = null;
    this.made.open(); // a read for the former plan ends, and the new plan has one of its own
    this.reading = null;
    [this.read, this.made] = [gate(), gate()];
    const layoutId = this.layoutId;
    if (!layoutId) return;
    void this.refresh();
    try {
      const answer = await this.api.open(`/api/events/${this.eventId}/seatmap?layout=${layoutId}`);
      const geometry = await answer.arrayBuffer();
      await this.read.opened; // so that it is drawn once
      if (layoutId !== this.layoutId) return; // the plan was replaced while this one was loaded
      this.layoutId = answer.headers.get('x-layout-id') ?? this.layoutId;
      this.geometry = geometry;
      this.hasMap = true;
    } catch (error) {
      if (layoutId !== this.layoutId) return;
      if (!(error instanceof Problem) || error.status !== 404) throw error;
      this.hasMap = false;
      this.made.open(); // nobody need wait for it
    }
  }

  async ready(map: SeatMap): Promise<void> {
    this.map = map;
    this.made.open();
    await this.refresh();
    if (this.map === map && !map.version) await this.refresh(); // what was underway was another plan's
  }

  /** Without a map too: then all news is about what is offered. */
  private listen(told: Told): void {
    this.live?.stop();
    this.live = listen(
      `/api/events/${this.eventId}/stream`,
      {
        snapshot: ({ seats }: { seats: Begun | null }) => {
          if ((seats?.layout_id ?? '') !== this.layoutId) void this.relay(seats?.layout_id ?? '');
          else if (seats) this.begin(seats);
          this.askSoon(told);
        },
        delta: (delta: Delta) => this.hear(delta),
        occupancy: (news: Occupancy) => this.count((this.latest = news)),
        offers: told,
        least: (now: Money) => (this.least = now),
        event: () => told(),
      } as Record<string, (data: never) => void>,
      (lost) => {
        this.notice(lost);
        if (this.line === 'lost' && !lost) {
          void this.refresh();
          this.askSoon(told);
        }
        this.line = lost ? 'lost' : 'open';
      },
    );
  }

  /** A stream ends now and then and comes back by itself: that is no outage. One that fails to come back is. */
  private notice(lost: boolean): void {
    if (lost && this.line === 'lost') {
      this.outage = 'lost';
      clearTimeout(this.telling);
    } else if (!lost && this.outage === 'lost') {
      this.outage = 'over';
      this.telling = setTimeout(() => (this.outage = 'none'), OVER_MS);
    }
  }

  close(): void {
    this.live?.stop();
    this.map?.stop();
    clearTimeout(this.soon);
    clearTimeout(this.counting);
    clearTimeout(this.asking);
    clearTimeout(this.telling);
  }

  /** What was offered before the line began was told to nobody; not even with a map does it say that. */
  private askSoon(told: Told): void {
    clearTimeout(this.asking);
    this.asking = setTimeout(() => told(), Math.random() * SPREAD_MS);
  }

  /** The line begins, perhaps anew, and what was said before is lost. Unless we have all of that, read again. */
  private begin(seats: Begun): void {
    this.latest = seats.occupancy;
    if (this.missed) this.begun = seats;
    else if (this.map && judge(this.map.version, seats.version) === 'skip') this.count(seats.occupancy);
    else void this.refresh();
  }

  /** The show has another plan now, its first one, or none any more. */
  private async relay(layoutId: string): Promise<void> {
    this.layoutId = layoutId;
    await this.loadMap().catch(() => (this.line = 'lost'));
  }

  /** Those who ask while it is being read get the same. */
  async refresh(): Promise<void> {
    if (this.hasMap === false) return;
    const reading = (this.reading ??= this.readStates());
    await reading;
    if (this.reading === reading) this.reading = null;
  }

  private async readStates(): Promise<void> {
    do {
      this.missed = [];
      this.begun = this.latest = null;
      const { read, made } = this;
      try {
        const [answer, counted] = await Promise.all(['availability', 'occupancy'].map((what) => this.api.open(`/api/events/${this.eventId}/${what}`)));
        const version = (answer!.headers.get('etag') ?? '').replace('W/', '').replaceAll('"', '');
        const states = new Uint8Array(await answer!.arrayBuffer());
        const { data: occupancy } = (await counted!.json()) as { data: { zones: ZoneRow[] } };
        read.open();
        await made.opened;
        if (!this.map || made !== this.made) return;
        this.dress(this.map.geometry, occupancy.zones);
        this.map.setStates(states, version);
        this.showKept();
        this.zones = occupancy.zones;
        this.count(this.latest ?? occupancy); // places alone are counted without another version
        const missed = this.missed;
        this.missed = null;
        for (const delta of missed) this.hear(delta);
        this.changed();
      } catch {
        if (made !== this.made) return;
        this.line = 'lost'; // it comes back, and then we look again; and if it was not the line, a little later
        this.readSoon(RETRY_MS * (1 + Math.random()));
      } finally {
        if (made === this.made) this.missed = null;
        read.open();
      }
      // What came between our read and the line's beginning was told to nobody.
    } while (this.begun && judge(this.map?.version ?? '', (this.begun as Begun).version) !== 'skip');
  }

  private readSoon(ms: number): void {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => void this.refresh(), ms);
  }

  /** A show may call a zone otherwise than its plan does, and price it otherwise: whoever reads the plan finds that there. */
  private dress({ zones, sections, price, prices }: Geometry, rows: ZoneRow[]): void {
    this.plain ??= { zones: zones.map(({ name, price }) => ({ name, price })), price: price.slice() };
    price.set(this.plain.price);
    zones.forEach((zone, n) => {
      const row = rows.find(({ key }) => key === zone.key);
      const own = prices.findIndex(([key]) => key === row?.priced_as);
      zone.name = row?.name ?? this.plain!.zones[n]!.name;
      zone.price = own < 0 ? this.plain!.zones[n]!.price : own;
      if (own >= 0) for (const { zone: at, first, end } of sections) if (at === n) price.fill(own, first, end);
    });
  }

  private hear(delta: Delta): void {
    if (this.missed) return void this.missed.push(delta);
    const verdict = judge(this.map?.version ?? '', delta.version);
    if (verdict === 'skip') return;
    this.map?.apply(delta);
    this.showKept();
    this.changed();
    if (verdict === 'reread') this.readSoon(REREAD_MS);
  }

  private changed(): void {
    if (this.counting) return;
    this.counting = setTimeout(() => {
      this.counting = undefined;
      this.left = this.map?.freeByPrice() ?? [];
      this.changes++;
    }, COUNT_MS);
  }

  private count(news: Occupancy): void {
    const left = new Map<number, number>();
    for (const zone of news.zones) {
      const index = this.zoneIndex(zone.zone_id);
      if (this.map?.geometry.zones[index]?.isOpen) left.set(index, zone.available);
    }
    this.map?.setPlaces(left);
    this.changed();
  }

  /** Zones that nothing sells to me, by their number. */
  closeZones(zones: boolean[]): void {
    this.map?.closeZones(zones);
    this.changed();
  }

  /** Companion seats that are reserved for me: to everybody else they look blocked, to me they are free. */
  keep(ordinals: number[]): void {
    this.kept.clear();
    for (const ordinal of ordinals) this.kept.add(ordinal);
    this.showKept();
    this.changed();
  }

  private showKept(): void {
    const { map } = this;
    const ordinals = [...this.kept].filter((ordinal) => map?.states[ordinal] === BLOCKED);
    if (map && ordinals.length) map.apply({ ordinals, states: ordinals.map(() => AVAILABLE), version: map.version });
  }

  /** Whether its plan has seats, and not standing room alone. */
  get hasSeats(): boolean {
    return Boolean(this.hasMap && this.map?.geometry.count);
  }

  // --- names and numbers

  seatId(ordinal: number): string {
    // A seat's id is its layout's, with the ordinal in the last 32 bits.
    return this.layoutId.slice(0, -8) + ordinal.toString(16).padStart(8, '0');
  }

  ordinalOf(seatId: string | null): number {
    return seatId && seatId.slice(0, -8) === this.layoutId.slice(0, -8) ? Number.parseInt(seatId.slice(-8), 16) : -1;
  }

  title(ordinal: number): string {
    if (!this.map || ordinal < 0) return '';
    const { section, row, number } = this.map.describe(ordinal);
    return t.seat(section, row, number);
  }

  /** What is special about a seat, in words; most are seats and nothing else. */
  kind(ordinal: number): string {
    const kind = ordinal >= 0 && this.map ? KINDS[this.map.describe(ordinal).category] : undefined;
    return kind ? t[kind] : '';
  }

  /** Whether a seat can be had, in words, as the map shows it. */
  state(ordinal: number): string {
    if (!this.map) return '';
    return t[this.map.mine.has(ordinal) ? 'yours' : this.kept.has(ordinal) ? 'reserved' : (STATES[this.map.states[ordinal]!] ?? 'notForSale')];
  }

  zoneId(index: number): string | null {
    const zone = this.map?.geometry.zones[index];
    return this.zones.find(({ key }) => key === zone?.key)?.zone_id ?? null;
  }

  zoneName(id: string | null): string {
    return this.zones.find((zone) => zone.zone_id === id)?.name ?? '';
  }

  /** The key of the zone where something is held: of its seat, else by the zone's own id. */
  zoneOf(ordinal: number, id: string | null): string {
    if (this.map && ordinal >= 0) return this.map.geometry.zones[this.map.zoneOf(ordinal)]!.key;
    return this.zones.find(({ zone_id }) => zone_id === id)?.key ?? '';
  }

  /** What a place's price goes by. */
  categoryOf(ordinal: number, zone: string): string | null {
    const map = this.map;
    if (!map) return null;
    const price = ordinal >= 0 ? map.describe(ordinal).price : (map.geometry.zones.find(({ key }) => key === zone)?.price ?? -1);
    return price >= 0 ? map.geometry.prices[price]![0] : null;
  }

  /** Only these prices, or all. */
  show(prices: number[] | null): void {
    this.shown = prices;
    this.map?.showPrices(prices && new Set(prices));
  }

  private zoneIndex(id: string): number {
    const zone = this.zoneOf(-1, id);
    return this.map?.geometry.zones.findIndex(({ key }) => key === zone) ?? -1;
  }
}

/** Something that others wait for, once. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open!: () => void;
  const opened = new Promise<void>((done) => (open = done));
  return { opened, open };
}
