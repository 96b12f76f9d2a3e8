// Draws the visible seats. State is never shown by colour alone: a cross is sold, stripes are in another basket, a tick is
// in yours, a symbol is for wheelchairs. Nor is a price, where there are many: it has a letter.

import type { Camera } from './camera';
import { AVAILABLE, COMPANION, HELD, NO_PRICE, SOLD, WHEELCHAIR, type Box, type Geometry } from './geometry';
import type { Palette, Scene, Tools } from './painter';
import { CHAIR } from './signs';
import { USUAL } from './stamps';

/** From how many pixels a seat is drawn as itself, as a rounded one, with its marks, with its number, and with both. */
export const LEVELS = { seats: 3.6, round: 6, marks: 8, numbers: 15, both: 22 };

const FAINT = 0.18;
const SYMBOLS: Record<number, string> = { [WHEELCHAIR]: CHAIR, [COMPANION]: '+' };
// Kinds of seats as numbers: a free one by its price, faint or not, taken ones by their state; then what stands on it.
const [FAINT_FROM, TAKEN_FROM, KINDS] = [256, 512, USUAL];

export function paintSeats({ ctx, ratio, colors, stamps }: Tools, scene: Scene, camera: Camera, part: Box): void {
  const { geometry, states, mine } = scene;
  const seat = geometry.pitch * camera.view.scale * 0.8;
  const marked = seat >= LEVELS.marks;
  const side = Math.round(seat * ratio);
  // The origin stands on a whole pixel, and each seat on one from there: it is the same in every part that shows some of it.
  const [scale, ox, oy] = [camera.view.scale * ratio, Math.round(camera.view.x * ratio), Math.round(camera.view.y * ratio)];
  stamps.begin(part, side, colors);
  scene.grid().within(camera.within(part, ratio, geometry.pitch), (i) => {
    if (mine.size && mine.has(i)) return;
    const left = Math.round(geometry.x[i]! * scale - side / 2) + ox;
    const top = Math.round(geometry.y[i]! * scale - side / 2) + oy;
    const state = states[i]!;
    let key = TAKEN_FROM + state;
    let label = '';
    if (state === AVAILABLE) {
      const price = geometry.price[i]!;
      key = price === NO_PRICE ? 0 : price % colors.tiers.length;
      if (scene.dimmed(price)) key += FAINT_FROM;
      else if ((label = labelOf(geometry, i, seat, colors.letters))) key += KINDS * stamps.id(label);
    }
    if (stamps.put(key, left, top)) return;
    stamps.make(key, (at, size) => (state === AVAILABLE ? drawFree(at, size, key % KINDS, label, colors) : drawTaken(at, size, marked ? state : -1, colors)));
    stamps.put(key, left, top);
  });
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  stamps.end(ctx);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  for (const i of mine) paintMine(ctx, camera.toScreen(geometry.x[i]!, geometry.y[i]!), seat, colors);
  if (scene.focused >= 0) paintRing(ctx, camera.toScreen(geometry.x[scene.focused]!, geometry.y[scene.focused]!), seat, colors);
}

/** What stands on a seat that is so many pixels wide; a price's letter on a line of its own, above the number. */
export function labelOf(geometry: Geometry, i: number, size: number, letters: string[]): string {
  if (size < LEVELS.marks) return '';
  const symbol = SYMBOLS[geometry.category[i]!];
  const letter = letters[geometry.price[i]!];
  if (symbol || !letter) return symbol ?? (size >= LEVELS.numbers ? geometry.numberOf(i) : '');
  return size >= LEVELS.both ? `${letter}\n${geometry.numberOf(i)}` : letter;
}

function drawFree(ctx: CanvasRenderingContext2D, size: number, kind: number, label: string, colors: Palette): void {
  ctx.globalAlpha = kind >= FAINT_FROM ? FAINT : 1;
  block(ctx, size, colors.tiers[kind % FAINT_FROM]!);
  ctx.globalAlpha = 1;
  if (!label) return;
  if (label === CHAIR) return drawSign(ctx, size * 0.82, label, colors.onTier);
  ctx.fillStyle = colors.onTier;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  const lines = label.split('\n');
  ctx.font = `600 ${size * (lines.length > 1 ? 0.36 : 0.42)}px Inter, sans-serif`;
  lines.forEach((line, n) => ctx.fillText(line, 0, size * (0.03 + 0.36 * (n - (lines.length - 1) / 2)), size * 0.9));
}

function drawSign(ctx: CanvasRenderingContext2D, size: number, lines: string, color: string): void {
  ctx.scale(size / 24, size / 24);
  ctx.translate(-12, -12);
  ctx.strokeStyle = color;
  ctx.lineWidth = 2.2;
  ctx.lineCap = ctx.lineJoin = 'round';
  ctx.stroke(new Path2D(lines));
  ctx.lineCap = 'butt';
  ctx.lineJoin = 'miter';
}

function drawTaken(ctx: CanvasRenderingContext2D, size: number, state: number, colors: Palette): void {
  block(ctx, size, colors.taken);
  ctx.beginPath();
  ctx.lineWidth = Math.max(1, size * 0.07);
  ctx.strokeStyle = state === HELD ? colors.muted : colors.takenMark;
  if (state === SOLD) cross(ctx, size * 0.21);
  if (state === HELD) stripe(ctx, size * 0.4);
  ctx.stroke();
}

function paintMine(ctx: CanvasRenderingContext2D, { x, y }: { x: number; y: number }, seat: number, colors: Palette): void {
  const half = seat / 2;
  ctx.lineWidth = Math.max(1.5, half * 0.18);
  ctx.strokeStyle = colors.ink; // what stands out from the ground; the tick, from the seat
  ctx.translate(x, y);
  block(ctx, seat, colors.mine);
  ctx.stroke();
  ctx.strokeStyle = colors.mineInk;
  ctx.beginPath();
  ctx.moveTo(-half * 0.42, half * 0.02);
  ctx.lineTo(-half * 0.1, half * 0.34);
  ctx.lineTo(half * 0.46, -half * 0.32);
  ctx.stroke();
  ctx.translate(-x, -y);
}

function paintRing(ctx: CanvasRenderingContext2D, { x, y }: { x: number; y: number }, seat: number, colors: Palette): void {
  ctx.strokeStyle = colors.ink;
  ctx.lineWidth = 3;
  ctx.beginPath();
  ctx.roundRect(x - seat / 2 - 4, y - seat / 2 - 4, seat + 8, seat + 8, radiusOf(seat) + 4);
  ctx.stroke();
}

function block(ctx: CanvasRenderingContext2D, size: number, color: string): void {
  ctx.beginPath();
  ctx.roundRect(-size / 2, -size / 2, size, size, radiusOf(size));
  ctx.fillStyle = color;
  ctx.fill();
}

function cross(ctx: CanvasRenderingContext2D, arm: number): void {
  ctx.moveTo(-arm, -arm);
  ctx.lineTo(arm, arm);
  ctx.moveTo(arm, -arm);
  ctx.lineTo(-arm, arm);
}

function stripe(ctx: CanvasRenderingContext2D, arm: number): void {
  for (const shift of [-0.9, 0, 0.9]) {
    const [reach, aside] = [arm * (shift ? 0.55 : 1), shift * arm * 0.5];
    ctx.moveTo(aside - reach, aside + reach);
    ctx.lineTo(aside + reach, aside - reach);
  }
}

function radiusOf(seat: number): number {
  return seat >= LEVELS.round ? seat * 0.22 : 0;
}
