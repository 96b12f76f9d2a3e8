// Draws what is in sight: outlines of sections from afar, seats from near (seats.ts).

import { boxAround, NO_PRICE, type Box, type Geometry } from './geometry';
import type { Camera } from './camera';
import type { Grid } from './grid';
import type { Point } from './hull';
import { lettered } from './palette';
import { layOut, LINE, touches, type Label, type Wish } from './labels';
import { LEVELS, paintSeats } from './seats';
import type { Stamps } from './stamps';
import { count } from '../format';
import { t } from '../words';

const STAGE_MOST = 240; // pixels: close up, a longer one would lie across seats

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
  letters: string[]; // of the tiers, if colours alone are too few
}

export interface Scene {
  geometry: Geometry;
  grid: () => Grid; // built when seats are first drawn: the overview needs none
  outlines: Point[][]; // of the sections
  states: Uint8Array;
  mine: Set<number>;
  dimmed: (price: number) => boolean;
  focused: number; // ordinal, or -1
  free: Float32Array; // the part of each section that can be had
  zoneFree: (zone: number) => number | null; // of zones without seats; CLOSED if no ticket type sells it to this buyer
}

export const CLOSED = -1;

export interface Tools {
  ctx: CanvasRenderingContext2D;
  ratio: number; // pixels of the canvas for one of the screen
  colors: Palette;
  stamps: Stamps;
}

/** Where names stand at some scale, in pixels from the plan's origin. */
export interface Names {
  stage: Box;
  labels: Label[];
}

const FONTS = ['600 13px Inter, sans-serif', '400 12px Inter, sans-serif'];
const NAMED = 46; // pixels: a narrower section has no room for its name

/** Draws a part of the canvas, given in its own pixels. */
export function paint(tools: Tools, scene: Scene, camera: Camera, names: Names, part: Box): void {
  const { ctx, ratio, colors } = tools;
  const near = isNear(scene, camera);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.fillStyle = colors.ground;
  ctx.fillRect(part.left / ratio, part.top / ratio, (part.right - part.left) / ratio, (part.bottom - part.top) / ratio);
  paintAreas(ctx, scene, camera, colors);
  paintSections(ctx, scene, camera, colors, near, camera.within(part, ratio, scene.geometry.pitch));
  paintNames(tools, camera, names, part);
  if (near) paintSeats(tools, scene, camera, part);
}

function isNear(scene: Scene, camera: Camera): boolean {
  return scene.geometry.pitch * camera.view.scale * 0.8 >= LEVELS.seats;
}

function tierOf(price: number, colors: Palette): string {
  return price === NO_PRICE ? colors.tiers[0]! : colors.tiers[price % colors.tiers.length]!;
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
  });
}

function paintSections(ctx: CanvasRenderingContext2D, scene: Scene, camera: Camera, colors: Palette, near: boolean, seen: Box): void {
  const { sections, zones, price: prices } = scene.geometry;
  ctx.strokeStyle = near ? colors.line : colors.surface;
  ctx.lineWidth = 1;
  sections.forEach(({ box, first, zone }, index) => {
    if (!touches(box, seen) || (near && zones[zone]!.area.length)) return; // an area is a panel already, and ruled around
    const price = prices[first] ?? NO_PRICE;
    ctx.fillStyle = near ? colors.surface : tierOf(price, colors);
    ctx.globalAlpha = near ? 1 : scene.dimmed(price) ? 0.1 : 0.18 + 0.7 * scene.free[index]!;
    trace(ctx, scene.outlines[index]!, camera);
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.stroke();
  });
}

// --- names

/** Finds a place for every name, at the camera's scale. */
export function nameAll({ ctx, colors }: Tools, scene: Scene, camera: Camera): Names {
  let font = -1;
  const widthOf = (text: string, line: number) => {
    if (line !== font) ctx.font = FONTS[(font = line)]!; // to choose letters takes longer than to measure them
    return ctx.measureText(text).width;
  };
  const { scale } = camera.view;
  const { focal, width } = scene.geometry;
  const half = Math.max(widthOf(t.stage, 0) + 24, Math.min(width * scale * 0.16, STAGE_MOST)) / 2;
  const [x, y] = [focal[0] * scale, focal[1] * scale];
  const stage = { left: x - half, right: x + half, top: y - 11, bottom: y + 11 };
  const wishes = [...zoneNames(scene, scale, colors), ...(isNear(scene, camera) ? [] : sectionNames(scene, scale, colors))];
  return { stage, labels: layOut(wishes, [stage], widthOf) };
}

function* zoneNames(scene: Scene, scale: number, colors: Palette): Generator<Wish> {
  for (const [index, zone] of scene.geometry.zones.entries()) {
    const free = scene.zoneFree(index);
    if (!zone.isOpen || free === null) continue;
    const [x, y] = middle(zone.area);
    const box = boxAround(zone.area);
    yield {
      lines: [lettered(colors.letters[zone.price], zone.name), free > 0 ? t.left(count(free)) : free === CLOSED ? t.notForSale : t.full],
      x: x * scale,
      y: y * scale,
      color: free > 0 ? colors.onTier : colors.muted,
      room: { width: (box.right - box.left) * scale, height: (box.bottom - box.top) * scale },
    };
  }
}

function* sectionNames(scene: Scene, scale: number, colors: Palette): Generator<Wish> {
  const { sections, price } = scene.geometry;
  for (const [index, { name, box, first }] of sections.entries()) {
    const width = (box.right - box.left) * scale;
    if (width < NAMED) continue;
    yield {
      lines: [lettered(colors.letters[price[first] ?? NO_PRICE], name)],
      x: ((box.left + box.right) / 2) * scale,
      y: ((box.top + box.bottom) / 2) * scale,
      color: scene.free[index]! > 0.45 ? colors.onTier : colors.ink,
      room: { width, height: LINE },
    };
  }
}

function paintNames({ ctx, ratio, colors }: Tools, camera: Camera, { stage, labels }: Names, part: Box): void {
  const { x: ox, y: oy } = camera.view;
  ctx.fillStyle = colors.ink;
  ctx.beginPath();
  ctx.roundRect(stage.left + ox, stage.top + oy, stage.right - stage.left, stage.bottom - stage.top, 11);
  ctx.fill();
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  caption(ctx, [t.stage], (stage.left + stage.right) / 2 + ox, (stage.top + stage.bottom) / 2 + oy + 0.5, colors.ground);
  const seen = { left: part.left / ratio - ox, right: part.right / ratio - ox, top: part.top / ratio - oy, bottom: part.bottom / ratio - oy };
  for (const { lines, x, y, color, box } of labels) if (touches(box, seen)) caption(ctx, lines, x + ox, y + oy, color);
}

function caption(ctx: CanvasRenderingContext2D, lines: string[], x: number, y: number, color: string): void {
  ctx.fillStyle = color;
  lines.forEach((line, n) => {
    ctx.font = FONTS[n]!;
    ctx.fillText(line, x, y + (n - (lines.length - 1) / 2) * LINE);
  });
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
