// The event's seats, live: the geometry once, the states again and again. They are hints: the server decides what is sold.

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

/** What a stream's snapshot has about seats: the version that its deltas continue from, and the occupancy then. */
interface Begun {
  layout_id: string;
  version: string;
  occupancy: Occupancy;
}

/** The layout's own zone names and prices, before the event's overlay. */
interface Plain {
  zones: { name: string; price: number }[];
  price: Uint8Array;
}

/** Called with the current offers; or without them if something about the event changed and must be read again. */
type Told = (offers?: Offer[]) => void;

/** The state of the stream's connection. */
type Line = 'opening' | 'open' | 'lost';

/** An outage for the banner: there is one, or one has just ended. */
type Outage = 'none' | 'lost' | 'over';

const REREAD_MS = 1000;
const RETRY_MS = 5000; // and up to twice as long: what fails, fails for many
const COUNT_MS = 300;
const OVER_MS = 5000;
const SPREAD_MS = 2000; // after an outage all streams reconnect at once: their requests are spread over this time

// By the names of their words: what they say is known only once a language has spoken.
const KINDS: Record<number, 'wheelchair' | 'companion' | 'restricted'> = { [WHEELCHAIR]: 'wheelchair', [COMPANION]: 'companion', [RESTRICTED_VIEW]: 'restricted' };
const STATES: Record<number, 'available' | 'inOtherBasket' | 'sold'> = { [AVAILABLE]: 'available', [HELD]: 'inOtherBasket', [SOLD]: 'sold' };

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
  least: Money | null = $state.raw(null); // the lowest price, once it has changed
  changes = $state(0); // a counter that makes lists of seats reactive
  private plain: Plain | null = null;
  private read = gate(); // the states are here, or cannot be had
  private made = gate(); // the map is on the page
  private reading: Promise<void> | null = null;
  private live: Live | null = null;
  private missed: Delta[] | null = null; // deltas that arrived while the states were being read
  private begun: Begun | null = null; // a snapshot that arrived meanwhile
  private latest: Occupancy | null = null; // the last occupancy that the stream sent
  private soon: ReturnType<typeof setTimeout> | undefined;
  private counting: ReturnType<typeof setTimeout> | undefined;
  private asking: ReturnType<typeof setTimeout> | undefined;
  private telling: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly api: Api,
    private readonly eventId: string,
    private layoutId: string, // from the page; empty for an event without seats
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
      this.made.open(); // nothing waits for a map
    }
  }

  async ready(map: SeatMap): Promise<void> {
    this.map = map;
    this.made.open();
    await this.refresh();
    if (this.map === map && !map.version) await this.refresh(); // what was underway was another plan's
  }

  /** Also without a map: then the stream is about offers only. */
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

  /** Offers that changed before the stream began are not in its snapshot: they are read again. */
  private askSoon(told: Told): void {
    clearTimeout(this.asking);
    this.asking = setTimeout(() => told(), Math.random() * SPREAD_MS);
  }

  /** A stream begins, perhaps after a loss. If it continues from a newer version than ours, the states are read again. */
  private begin(seats: Begun): void {
    this.latest = seats.occupancy;
    if (this.missed) this.begun = seats;
    else if (this.map && judge(this.map.version, seats.version) === 'skip') this.count(seats.occupancy);
    else void this.refresh();
  }

  /** The event has another layout now, its first one, or none any more. */
  private async relay(layoutId: string): Promise<void> {
    this.layoutId = layoutId;
    await this.loadMap().catch(() => (this.line = 'lost'));
  }

  /** Concurrent callers share one read. */
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
        this.count(this.latest ?? occupancy); // spots change without a new version of the states
        const missed = this.missed;
        this.missed = null;
        for (const delta of missed) this.hear(delta);
        this.changed();
      } catch {
        if (made !== this.made) return;
        this.line = 'lost'; // read again when the stream is back, or a little later if it was not the connection
        this.readSoon(RETRY_MS * (1 + Math.random()));
      } finally {
        if (made === this.made) this.missed = null;
        read.open();
      }
      // Changes between our read and the stream's snapshot are in neither: read again.
    } while (this.begun && judge(this.map?.version ?? '', (this.begun as Begun).version) !== 'skip');
  }

  private readSoon(ms: number): void {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => void this.refresh(), ms);
  }

  /** Applies the event's overlay to the geometry: its own zone names and prices. */
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

  /** The kind of a seat in words; empty for a standard seat. */
  kind(ordinal: number): string {
    const kind = ordinal >= 0 && this.map ? KINDS[this.map.describe(ordinal).category] : undefined;
    return kind ? t[kind] : '';
  }

  /** A seat's state in words, as the map shows it. */
  state(ordinal: number): string {
    if (!this.map) return '';
    return t[this.map.mine.has(ordinal) ? 'inBasket' : this.kept.has(ordinal) ? 'reserved' : (STATES[this.map.states[ordinal]!] ?? 'notForSale')];
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

  /** The price category of a seat or of a zone's spots. */
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
