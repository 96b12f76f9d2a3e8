// Draws what is in sight: outlines of sections from afar, seats from near. One path for each colour, so that a frame is
// a handful of fills however many seats there are. State is never told by colour alone: a cross is sold, stripes are
// somebody else's, a tick is yours, a symbol is for wheelchairs.

import { AVAILABLE, BLOCKED, COMPANION, HELD, NO_PRICE, SOLD, WHEELCHAIR, type Geometry } from './geometry';
import type { Camera, Size } from './camera';
import type { Grid } from './grid';
import type { Point } from './hull';
import { count } from '../format';
import { t } from '../words';

export interface Palette {
  ground: string;
  surface: string;
  line: string;
  ink: string;
  muted: string;
  taken: string;
  takenMark: string;
  mine: string;
  mineInk: string;
  onTier: string;
  tiers: string[];
}

export interface Scene {
  geometry: Geometry;
  grid: Grid;
  outlines: Point[][];
  states: Uint8Array;
  mine: Set<number>;
  dimmed: (price: number) => boolean;
  focused: number; // ordinal, or -1
  free: Float32Array; // the part of each section that can be had
  zoneFree: (zone: number) => number | null; // of zones without seats
}

/** From how many pixels a seat is drawn as itself, as a rounded one, with its marks, and with its number. */
export const LEVELS = { seats: 2.2, round: 6, marks: 8, numbers: 15 };

export function paint(ctx: CanvasRenderingContext2D, scene: Scene, camera: Camera, size: Size, ratio: number, colors: Palette): void {
  const { view } = camera;
  const seat = scene.geometry.pitch * view.scale * 0.8;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = colors.ground;
  ctx.fillRect(0, 0, size.width, size.height);
  paintStage(ctx, scene, camera, colors);
  paintAreas(ctx, scene, camera, colors);
  paintSections(ctx, scene, camera, size, colors, seat);
  if (seat >= LEVELS.seats) paintSeats(ctx, scene, camera, colors, seat);
}

export function tierOf(price: number, colors: Palette): string {
  return price === NO_PRICE ? colors.tiers[0]! : colors.tiers[price % colors.tiers.length]!;
}

function paintStage(ctx: CanvasRenderingContext2D, scene: Scene, camera: Camera, colors: Palette): void {
  const { x, y } = camera.toScreen(...scene.geometry.focal);
  const width = Math.max(48, scene.geometry.width * camera.view.scale * 0.16);
  ctx.fillStyle = colors.ink;
  ctx.beginPath();
  ctx.roundRect(x - width / 2, y - 11, width, 22, 11);
  ctx.fill();
  ctx.fillStyle = colors.ground;
  ctx.font = '600 12px Inter, sans-serif';
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillText(t.stage, x, y + 0.5);
}

function paintAreas(ctx: CanvasRenderingContext2D, scene: Scene, camera: Camera, colors: Palette): void {
  scene.geometry.zones.forEach((zone, index) => {
    if (zone.area.length < 3) return;
    const free = scene.zoneFree(index);
    if (free === null) return;
    trace(ctx, zone.area, camera);
    ctx.fillStyle = free > 0 ? tierOf(zone.price < 0 ? NO_PRICE : zone.price, colors) : colors.taken;
    ctx.globalAlpha = free > 0 ? (scene.dimmed(zone.price) ? 0.15 : 0.85) : 1;
    ctx.fill();
    ctx.globalAlpha = 1;
    const centre = middle(zone.area);
    const at = camera.toScreen(centre[0], centre[1]);
    caption(ctx, [zone.name, free > 0 ? t.places(count(free)) : t.full], at.x, at.y, free > 0 ? colors.onTier : colors.muted);
  });
}

function paintSections(ctx: CanvasRenderingContext2D, scene: Scene, camera: Camera, size: Size, colors: Palette, seat: number): void {
  const near = seat >= LEVELS.seats;
  const seen = camera.seen(scene.geometry.pitch);
  scene.geometry.sections.forEach((section, index) => {
    const { box } = section;
    if (box.right < seen.left || box.left > seen.right || box.bottom < seen.top || box.top > seen.bottom) return;
    trace(ctx, scene.outlines[index]!, camera);
    ctx.fillStyle = colors.surface;
    ctx.fill();
    ctx.strokeStyle = colors.line;
    ctx.lineWidth = 1;
    ctx.stroke();
    if (near) return;
    const price = scene.geometry.price[section.first] ?? NO_PRICE;
    ctx.fillStyle = tierOf(price, colors);
    ctx.globalAlpha = scene.dimmed(price) ? 0.1 : 0.18 + 0.7 * scene.free[index]!;
    ctx.fill();
    ctx.globalAlpha = 1;
    const at = camera.toScreen((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if ((box.right - box.left) * camera.view.scale > 46 && size.width > 0) {
      caption(ctx, [section.name], at.x, at.y, scene.free[index]! > 0.45 ? colors.onTier : colors.ink);
    }
  });
}

function paintSeats(ctx: CanvasRenderingContext2D, scene: Scene, camera: Camera, colors: Palette, seat: number): void {
  const { geometry, states, mine } = scene;
  const { scale, x: ox, y: oy } = camera.view;
  const half = seat / 2;
  const free: Path2D[] = [];
  const faint: Path2D[] = [];
  const taken = new Path2D();
  const crosses = new Path2D();
  const stripes = new Path2D();
  const numbered: number[] = [];
  const special: number[] = [];
  const radius = seat >= LEVELS.round ? seat * 0.22 : 0;
  const marked = seat >= LEVELS.marks;
  scene.grid.within(camera.seen(geometry.pitch), (i) => {
    const px = geometry.x[i]! * scale + ox;
    const py = geometry.y[i]! * scale + oy;
    const state = states[i]!;
    if (mine.has(i)) {
      special.push(i);
      return;
    }
    if (state === AVAILABLE) {
      const price = geometry.price[i]!;
      const tier = price === NO_PRICE ? 0 : price % colors.tiers.length;
      const paths = scene.dimmed(price) ? faint : free;
      square((paths[tier] ??= new Path2D()), px, py, half, radius);
      const category = geometry.category[i]!;
      if (marked && (category === WHEELCHAIR || category === COMPANION)) special.push(i);
      else if (seat >= LEVELS.numbers && paths === free) numbered.push(i);
      return;
    }
    square(taken, px, py, half, radius);
    if (!marked || state === BLOCKED) return;
    if (state === SOLD) cross(crosses, px, py, half * 0.42);
    if (state === HELD) stripe(stripes, px, py, half * 0.8);
  });
  ctx.fillStyle = colors.taken;
  ctx.fill(taken);
  ctx.lineWidth = Math.max(1, seat * 0.07);
  ctx.strokeStyle = colors.takenMark;
  ctx.stroke(crosses);
  ctx.strokeStyle = colors.muted;
  ctx.stroke(stripes);
  for (const [paths, alpha] of [[free, 1], [faint, 0.18]] as const) {
    ctx.globalAlpha = alpha;
    paths.forEach((path, tier) => {
      ctx.fillStyle = colors.tiers[tier]!;
      ctx.fill(path);
    });
  }
  ctx.globalAlpha = 1;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = colors.onTier;
  ctx.font = `600 ${Math.min(15, seat * 0.42)}px Inter, sans-serif`;
  for (const i of numbered) ctx.fillText(geometry.numberOf(i), geometry.x[i]! * scale + ox, geometry.y[i]! * scale + oy + 0.5);
  for (const i of special) {
    const [px, py] = [geometry.x[i]! * scale + ox, geometry.y[i]! * scale + oy];
    if (mine.has(i)) paintMine(ctx, px, py, half, radius, colors);
    else if (seat >= LEVELS.marks) ctx.fillText(geometry.category[i] === WHEELCHAIR ? '♿︎' : '＋', px, py + 0.5);
  }
  if (scene.focused >= 0) {
    const [px, py] = [geometry.x[scene.focused]! * scale + ox, geometry.y[scene.focused]! * scale + oy];
    ctx.strokeStyle = colors.ink;
    ctx.lineWidth = 3;
    ctx.beginPath();
    ctx.roundRect(px - half - 4, py - half - 4, seat + 8, seat + 8, radius + 4);
    ctx.stroke();
  }
}

function paintMine(ctx: CanvasRenderingContext2D, px: number, py: number, half: number, radius: number, colors: Palette): void {
  ctx.beginPath();
  ctx.roundRect(px - half, py - half, 2 * half, 2 * half, radius);
  ctx.fillStyle = colors.mine;
  ctx.fill();
  ctx.strokeStyle = colors.mineInk;
  ctx.lineWidth = Math.max(1.5, half * 0.18);
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(px - half * 0.42, py + half * 0.02);
  ctx.lineTo(px - half * 0.1, py + half * 0.34);
  ctx.lineTo(px + half * 0.46, py - half * 0.32);
  ctx.stroke();
}

function square(path: Path2D, px: number, py: number, half: number, radius: number): void {
  if (radius) path.roundRect(px - half, py - half, 2 * half, 2 * half, radius);
  else path.rect(px - half, py - half, 2 * half, 2 * half);
}

function cross(path: Path2D, px: number, py: number, arm: number): void {
  path.moveTo(px - arm, py - arm);
  path.lineTo(px + arm, py + arm);
  path.moveTo(px + arm, py - arm);
  path.lineTo(px - arm, py + arm);
}

function stripe(path: Path2D, px: number, py: number, arm: number): void {
  for (const shift of [-0.9, 0, 0.9]) {
    const reach = arm * (shift ? 0.55 : 1);
    path.moveTo(px - reach + shift * arm * 0.5, py + reach + shift * arm * 0.5);
    path.lineTo(px + reach + shift * arm * 0.5, py - reach + shift * arm * 0.5);
  }
}

function trace(ctx: CanvasRenderingContext2D, points: Point[], camera: Camera): void {
  ctx.beginPath();
  points.forEach(([x, y], n) => {
    const at = camera.toScreen(x, y);
    if (n) ctx.lineTo(at.x, at.y);
    else ctx.moveTo(at.x, at.y);
  });
  ctx.closePath();
}

function middle(points: Point[]): Point {
  const sum = points.reduce(([sx, sy], [x, y]) => [sx + x, sy + y], [0, 0]);
  return [sum[0]! / points.length, sum[1]! / points.length];
}

function caption(ctx: CanvasRenderingContext2D, lines: string[], x: number, y: number, color: string): void {
  ctx.fillStyle = color;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  lines.forEach((line, n) => {
    ctx.font = n ? '400 12px Inter, sans-serif' : '600 13px Inter, sans-serif';
    ctx.fillText(line, x, y + (n - (lines.length - 1) / 2) * 16);
  });
}
