// The seat map: its geometry, the seats' changing states, the buyer's own seats, and the view. It draws into a canvas
// when something has changed, once a frame, and knows nothing of pages.

import { Camera, type Size, type View } from './camera';
import { AVAILABLE, BLOCKED, COMPANION, NO_PRICE, read, unpackStates, type Box, type Geometry } from './geometry';
import { Grid } from './grid';
import { contains, outline, type Point } from './hull';
import { CLOSED, nameAll, paint, type Names, type Palette, type Scene } from './painter';
import { Mover } from './parts';
import { LEVELS } from './seats';
import { Stamps } from './stamps';

export interface Delta {
  version: string;
  ordinals: number[];
  states: number[];
}

/** Draws over the finished map, in pixels of the screen. */
export type Overlay = (ctx: CanvasRenderingContext2D, camera: Camera, colors: Palette) => void;

const TOUCH = 24; // pixels: no target is smaller
const NARROW = 560; // pixels: there the basket stands in front of the lower part
const SEEN = 5.5; // pixels from seat to seat: from here on, a click means a seat

export class SeatMap {
  readonly geometry: Geometry;
  readonly camera: Camera;
  readonly mine = new Set<number>();
  readonly overlays = new Set<Overlay>();
  version = '';
  /** Called after every frame, for what is drawn beside the map. */
  drawn: () => void = () => {};
  private seats: Grid | null = null;
  readonly outlines: Point[][];
  private readonly scene: Scene;
  private readonly freeInSection: Int32Array;
  private readonly sectionOf: Uint16Array;
  private readonly places = new Map<number, number>(); // what is left in zones without seats
  private prices: Set<number> | null = null;
  private known: Uint8Array; // states as the server has them, also in zones that this buyer cannot buy
  private closed: boolean[] = []; // by zone: no ticket type sells it to this buyer
  private frame = 0;
  private size: Size = { width: 1, height: 1 };
  private moving = 0;
  private stamps: Stamps | null = null;
  private mover: Mover | null = null;
  private picture: { view: View; names: Names } | null = null; // what the canvas shows, while that is still true

  constructor(
    bytes: ArrayBuffer,
    private readonly canvas: HTMLCanvasElement,
    private palette: Palette,
  ) {
    const g = (this.geometry = read(bytes));
    this.outlines = g.sections.map((s) => outline(g.x, g.y, s, g.pitch * 0.75));
    this.sectionOf = new Uint16Array(g.count);
    g.sections.forEach((section, n) => this.sectionOf.fill(n, section.first, section.end));
    this.freeInSection = new Int32Array(g.sections.length);
    this.camera = new Camera({ left: 0, top: 0, right: g.width, bottom: g.height }, 44 / g.pitch);
    const states = (this.known = new Uint8Array(g.count).fill(BLOCKED)); // until they are known, none is offered
    this.scene = {
      geometry: g,
      grid: () => this.grid,
      outlines: this.outlines,
      states,
      mine: this.mine,
      dimmed: (price) => this.prices !== null && !this.prices.has(price),
      focused: -1,
      free: new Float32Array(g.sections.length),
      zoneFree: (zone) => (this.closed[zone] ? CLOSED : (this.places.get(zone) ?? null)),
    };
  }

  private get grid(): Grid {
    const { x, y, width, height, pitch } = this.geometry;
    return (this.seats ??= new Grid(x, y, width, height, pitch * 8));
  }

  // --- states

  get states(): Uint8Array {
    return this.scene.states;
  }

  setStates(packed: Uint8Array, version: string): void {
    this.known = unpackStates(packed, this.geometry.count);
    this.version = version;
    this.look();
  }

  /** Zones that no ticket type sells to this buyer: their available seats are shown as not for sale. */
  closeZones(zones: boolean[]): void {
    if (zones.join() === this.closed.join()) return;
    this.closed = zones;
    this.look();
  }

  private look(): void {
    const states = (this.scene.states = this.known.slice());
    this.geometry.sections.forEach(({ first, end, zone }, n) => {
      let free = 0;
      for (let i = first; i < end; i++) {
        if (states[i] !== AVAILABLE) continue;
        if (this.closed[zone]) states[i] = BLOCKED;
        else free++;
      }
      this.freeInSection[n] = free;
      this.countSection(n);
    });
    this.redraw();
  }

  apply(delta: Delta): void {
    const touched = new Set<number>();
    delta.ordinals.forEach((ordinal, n) => {
      const section = this.sectionOf[ordinal]!;
      const before = this.states[ordinal] === AVAILABLE ? 1 : 0;
      const now = (this.known[ordinal] = delta.states[n]!);
      this.states[ordinal] = now === AVAILABLE && this.closed[this.zoneOf(ordinal)] ? BLOCKED : now;
      this.freeInSection[section]! += (this.states[ordinal] === AVAILABLE ? 1 : 0) - before;
      touched.add(section);
    });
    for (const section of touched) this.countSection(section);
    this.version = delta.version;
    this.redraw();
  }

  setPlaces(left: Map<number, number>): void {
    this.places.clear();
    for (const [zone, count] of left) this.places.set(zone, count);
    this.redraw();
  }

  setMine(ordinals: Iterable<number>): void {
    this.mine.clear();
    for (const ordinal of ordinals) this.mine.add(ordinal);
    this.redraw();
  }

  /** Only these prices, or all. */
  showPrices(prices: Set<number> | null): void {
    this.prices = prices;
    this.redraw();
  }

  private countSection(n: number): void {
    const { first, end } = this.geometry.sections[n]!;
    this.scene.free[n] = this.freeInSection[n]! / Math.max(1, end - first);
  }

  // --- looking

  get focused(): number {
    return this.scene.focused;
  }

  focus(ordinal: number): void {
    this.scene.focused = ordinal;
    if (ordinal >= 0) this.reveal(ordinal);
    this.redraw();
  }

  /** The seat under a finger, or the section if seats are too small to touch. */
  at(px: number, py: number): { seat: number; section: number; zone: number } {
    const { x, y } = this.camera.toPlan(px, py);
    const seat = this.geometry.pitch * this.camera.view.scale;
    const near = seat >= SEEN;
    const reach = Math.max(this.geometry.pitch * 0.5, Math.min(TOUCH / 2 / this.camera.view.scale, this.geometry.pitch * 1.2));
    return {
      seat: near ? this.grid.nearest(x, y, reach) : -1,
      section: this.outlines.findIndex((points) => contains(points, x, y)),
      zone: this.geometry.zones.findIndex((zone) => zone.isOpen && contains(zone.area, x, y)),
    };
  }

  /** One step from a seat: along its row, or to the closest one of the next row. */
  step(from: number, key: string): number {
    const g = this.geometry;
    if (from < 0) return g.count ? Math.max(0, this.states.indexOf(AVAILABLE)) : -1;
    const row = g.rows[g.rowOf[from]!]!;
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const rightwards = g.x[row.end - 1]! >= g.x[row.first]! ? 1 : -1;
      const next = from + (key === 'ArrowRight' ? rightwards : -rightwards);
      return next >= row.first && next < row.end ? next : from;
    }
    if (key === 'Home') return row.first;
    if (key === 'End') return row.end - 1;
    if (key === 'PageUp' || key === 'PageDown') {
      const n = g.sections.length;
      const section = (row.section + (key === 'PageDown' ? 1 : n - 1)) % n;
      return g.sections[section]!.first;
    }
    const down = key === 'ArrowDown' ? 1 : -1;
    let best = from;
    let bestCost = Infinity;
    const reach = g.pitch * 6;
    const box = { left: g.x[from]! - reach, right: g.x[from]! + reach, top: g.y[from]! - reach, bottom: g.y[from]! + reach };
    this.grid.within(box, (i) => {
      const dy = (g.y[i]! - g.y[from]!) * down;
      if (dy < g.pitch * 0.4 || g.rowOf[i] === g.rowOf[from]) return;
      const cost = dy + 2.5 * Math.abs(g.x[i]! - g.x[from]!);
      if (cost < bestCost) [best, bestCost] = [i, cost];
    });
    return best;
  }

  describe(ordinal: number): { section: string; row: string; number: string; price: number; category: number } {
    const g = this.geometry;
    const row = g.rows[g.rowOf[ordinal]!]!;
    return {
      section: g.sections[row.section]!.name,
      row: row.label,
      number: g.numberOf(ordinal),
      price: g.price[ordinal] === NO_PRICE ? -1 : g.price[ordinal]!,
      category: g.category[ordinal]!,
    };
  }

  zoneOf(ordinal: number): number {
    return this.geometry.sections[this.sectionOf[ordinal]!]!.zone;
  }

  /** How many can be had at each price. */
  freeByPrice(): number[] {
    const found = this.geometry.prices.map(() => 0);
    for (let i = 0; i < this.geometry.count; i++) if (this.isFree(i) && this.geometry.price[i] !== NO_PRICE) found[this.geometry.price[i]!]!++;
    for (const [zone, places] of this.places) {
      const { price } = this.geometry.zones[zone]!;
      if (price >= 0 && !this.closed[zone]) found[price]! += places;
    }
    return found;
  }

  isFree(ordinal: number): boolean {
    return this.states[ordinal] === AVAILABLE && this.geometry.category[ordinal] !== COMPANION;
  }

  // --- moving

  whole(): void {
    this.glide(this.camera.fit());
  }

  showSection(section: number): void {
    this.showBox(this.geometry.sections[section]!.box);
  }

  showBox(box: Box): void {
    const air = this.geometry.pitch * 2;
    this.glide(this.camera.fit({ left: box.left - air, top: box.top - air, right: box.right + air, bottom: box.bottom + air }));
  }

  /** Whether a seat is large enough on the screen to be hit on purpose. */
  get isTouchable(): boolean {
    return this.geometry.pitch * this.camera.view.scale >= TOUCH;
  }

  /** So close to a point of the screen that seats there can be hit. */
  comeClose(px: number, py: number): void {
    const { x, y } = this.camera.toPlan(px, py);
    this.glide(this.camera.around(x, y, (TOUCH * 1.25) / this.geometry.pitch));
  }

  /** Shows all seats that were chosen automatically, large enough to be recognised. */
  bring(ordinals: number[]): void {
    if (!ordinals.length) return;
    const { x, y, pitch } = this.geometry;
    const [xs, ys] = [ordinals.map((n) => x[n]!), ordinals.map((n) => y[n]!)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const all = this.camera.fit({ left: left - pitch, right: right + pitch, top: top - pitch, bottom: bottom + pitch });
    const scale = Math.min(all.scale, Math.max(this.camera.view.scale, (TOUCH * 1.25) / pitch));
    const view = this.camera.around((left + right) / 2, (top + bottom) / 2, scale);
    this.glide(this.size.width > NARROW ? view : { ...view, y: view.y - this.size.height / 4 });
  }

  /** To a point of the plan, as close as now. */
  lookAt(x: number, y: number): void {
    this.camera.lookAt(x, y);
    this.drawSoon();
  }

  zoom(factor: number, px = this.size.width / 2, py = this.size.height / 2): void {
    this.camera.zoom(factor, px, py);
    this.drawSoon();
  }

  pan(dx: number, dy: number): void {
    this.camera.pan(dx, dy);
    this.drawSoon();
  }

  resize(size: Size): void {
    const [width, height] = [Math.round(size.width * this.ratio), Math.round(size.height * this.ratio)];
    if (this.isSized && this.canvas.width === width && this.canvas.height === height) return;
    const first = !this.isSized;
    this.size = size;
    this.canvas.width = width;
    this.canvas.height = height;
    this.camera.resize(size);
    if (first) this.camera.view = this.camera.fit();
    this.redraw();
  }

  private get isSized(): boolean {
    return this.size.width > 1;
  }

  recolour(palette: Palette): void {
    this.palette = palette;
    this.redraw();
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.moving);
  }

  /** Keyboard users see what they are on. */
  private reveal(ordinal: number): void {
    const { x, y } = this.camera.toScreen(this.geometry.x[ordinal]!, this.geometry.y[ordinal]!);
    const near = this.geometry.pitch * this.camera.view.scale >= LEVELS.numbers;
    const inside = x > 40 && y > 40 && x < this.size.width - 40 && y < this.size.height - 40;
    if (near && inside) return;
    const scale = near ? this.camera.view.scale : 26 / this.geometry.pitch;
    this.camera.lookAt(this.geometry.x[ordinal]!, this.geometry.y[ordinal]!, scale);
  }

  private glide(to: { scale: number; x: number; y: number }): void {
    if (!this.isSized) return; // it begins with the whole map
    cancelAnimationFrame(this.moving);
    const from = { ...this.camera.view };
    const begun = performance.now();
    const span = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 150;
    const go = (now: number) => {
      const part = span ? Math.min(1, (now - begun) / span) : 1;
      const eased = 1 - (1 - part) ** 3;
      const mix = (a: number, b: number) => a + (b - a) * eased;
      this.camera.view = { scale: mix(from.scale, to.scale), x: mix(from.x, to.x), y: mix(from.y, to.y) };
      this.draw();
      if (part < 1) this.moving = requestAnimationFrame(go);
    };
    go(performance.now());
  }

  private get ratio(): number {
    return Math.min(2, globalThis.devicePixelRatio || 1);
  }

  /** What the map shows has changed. */
  redraw(): void {
    this.picture = null;
    this.drawSoon();
  }

  private drawSoon(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }

  /** At once, if there is anything new: a canvas of another size is empty until then. */
  drawNow(): void {
    if (!this.frame) return;
    cancelAnimationFrame(this.frame);
    this.draw();
  }

  private draw(): void {
    this.frame = 0;
    const ctx = this.canvas.getContext('2d', { alpha: false });
    if (!ctx || !this.isSized) return;
    const { ratio, palette: colors, picture } = this;
    const tools = { ctx, ratio, colors, stamps: (this.stamps ??= new Stamps()) };
    const camera = this.camera.onPixels(ratio);
    const still = picture?.view.scale === camera.view.scale ? picture : null;
    const names = still?.names ?? nameAll(tools, this.scene, camera);
    const whole = { left: 0, top: 0, right: this.canvas.width, bottom: this.canvas.height };
    for (const part of still ? (this.mover ??= new Mover()).move(ctx, still.view, camera.view, ratio) : [whole]) {
      ctx.save();
      ctx.beginPath();
      ctx.setTransform(1, 0, 0, 1, 0, 0);
      ctx.rect(part.left, part.top, part.right - part.left, part.bottom - part.top);
      ctx.clip();
      paint(tools, this.scene, camera, names, part);
      for (const overlay of this.overlays) overlay(ctx, camera, colors);
      ctx.restore();
    }
    this.picture = { view: camera.view, names };
    this.drawn();
  }
}
