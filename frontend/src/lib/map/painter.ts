// Draws what is in sight: outlines of sections from afar, seats from near (seats.ts).

import { NO_PRICE, type Geometry } from './geometry';
import type { Camera, Size } from './camera';
import type { Grid } from './grid';
import type { Point } from './hull';
import { LEVELS, paintSeats } from './seats';
import type { Stamps } from './stamps';
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
  outlines: Point[][]; // of the sections
  states: Uint8Array;
  mine: Set<number>;
  dimmed: (price: number) => boolean;
  focused: number; // ordinal, or -1
  free: Float32Array; // the part of each section that can be had
  zoneFree: (zone: number) => number | null; // of zones without seats
}

const [NAME, COUNT] = ['600 13px Inter, sans-serif', '400 12px Inter, sans-serif'];
const NAMED = 46; // pixels: a narrower section has no room for its name

export function paint(ctx: CanvasRenderingContext2D, scene: Scene, camera: Camera, size: Size, ratio: number, colors: Palette, stamps: Stamps): void {
  const near = scene.geometry.pitch * camera.view.scale * 0.8 >= LEVELS.seats;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = colors.ground;
  ctx.fillRect(0, 0, size.width, size.height);
  paintAreas(ctx, scene, camera, colors);
  paintSections(ctx, scene, camera, colors, near);
  paintStage(ctx, scene, camera, colors);
  if (near) paintSeats(ctx, scene, camera, ratio, colors, stamps);
}

function tierOf(price: number, colors: Palette): string {
  return price === NO_PRICE ? colors.tiers[0]! : colors.tiers[price % colors.tiers.length]!;
}

function paintStage(ctx: CanvasRenderingContext2D, scene: Scene, camera: Camera, colors: Palette): void {
  const { x, y } = camera.toScreen(...scene.geometry.focal);
  ctx.font = NAME;
  const width = Math.max(ctx.measureText(t.stage).width + 24, scene.geometry.width * camera.view.scale * 0.16);
  ctx.fillStyle = colors.ink;
  ctx.beginPath();
  ctx.roundRect(x - width / 2, y - 11, width, 22, 11);
  ctx.fill();
  caption(ctx, [t.stage], x, y + 0.5, colors.ground);
}

function paintAreas(ctx: CanvasRenderingContext2D, scene: Scene, camera: Camera, colors: Palette): void {
  scene.geometry.zones.forEach((zone, index) => {
    if (zone.area.length < 3) return;
    trace(ctx, zone.area, camera);
    const free = scene.zoneFree(index);
    if (!zone.isOpen) return panel(ctx, colors); // its seats are drawn upon it
    if (free === null) return;
    ctx.fillStyle = free > 0 ? tierOf(zone.price < 0 ? NO_PRICE : zone.price, colors) : colors.taken;
    ctx.globalAlpha = free > 0 ? (scene.dimmed(zone.price) ? 0.15 : 0.85) : 1;
    ctx.fill();
    ctx.globalAlpha = 1;
    const [x, y] = middle(zone.area);
    const at = camera.toScreen(x, y);
    caption(ctx, [zone.name, free > 0 ? t.places(count(free)) : t.full], at.x, at.y, free > 0 ? colors.onTier : colors.muted);
  });
}

function paintSections(ctx: CanvasRenderingContext2D, scene: Scene, camera: Camera, colors: Palette, near: boolean): void {
  const seen = camera.seen(scene.geometry.pitch);
  const inSight = scene.geometry.sections
    .map((section, index) => ({ ...section, index }))
    .filter(({ box }) => box.right >= seen.left && box.left <= seen.right && box.bottom >= seen.top && box.top <= seen.bottom);
  ctx.strokeStyle = near ? colors.line : colors.surface;
  ctx.lineWidth = 1;
  for (const { index, first, zone } of inSight) {
    const price = scene.geometry.price[first] ?? NO_PRICE;
    ctx.fillStyle = near ? colors.surface : tierOf(price, colors);
    ctx.globalAlpha = near ? 1 : scene.dimmed(price) ? 0.1 : 0.18 + 0.7 * scene.free[index]!;
    trace(ctx, scene.outlines[index]!, camera);
    ctx.fill();
    ctx.globalAlpha = 1;
    if (!near || !scene.geometry.zones[zone]!.area.length) ctx.stroke(); // an area is ruled around already
  }
  if (near) return;
  for (const { name, box, index } of inSight) {
    if ((box.right - box.left) * camera.view.scale < NAMED) continue;
    const at = camera.toScreen((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    caption(ctx, [name], at.x, at.y, scene.free[index]! > 0.45 ? colors.onTier : colors.ink);
  }
}

function trace(ctx: CanvasRenderingContext2D, points: Point[], camera: Camera): void {
  ctx.beginPath();
  const { scale, x, y } = camera.view;
  for (const [px, py] of points) ctx.lineTo(px * scale + x, py * scale + y);
  ctx.closePath();
}

/** White paper for seats to stand on. */
function panel(ctx: CanvasRenderingContext2D, colors: Palette): void {
  ctx.fillStyle = colors.surface;
  ctx.fill();
  ctx.strokeStyle = colors.line;
  ctx.lineWidth = 1;
  ctx.stroke();
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
    ctx.font = n ? COUNT : NAME;
    ctx.fillText(line, x, y + (n - (lines.length - 1) / 2) * 16);
  });
}
