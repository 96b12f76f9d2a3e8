// Names on the map: the stage's, then those of areas, then of sections. None covers another: one without room moves up
// or down within its place, is said shorter, or is left out.

import type { Box } from './geometry';

export interface Wish {
  lines: string[]; // the name, and what can be left out
  x: number; // the middle; pixels from the plan's origin, so that it stays true while the map is dragged
  y: number;
  color: string;
  room: { width: number; height: number };
}

export interface Label extends Wish {
  box: Box;
}

export const LINE = 16; // pixels
const [AIR, STEP] = [3, 8];

/** `widthOf` measures a line, the first or a later one. */
export function layOut(wishes: Iterable<Wish>, taken: Box[], widthOf: (text: string, line: number) => number): Label[] {
  const placed: Label[] = [];
  const isFree = (box: Box) => !taken.some((other) => touches(box, other)) && !placed.some((other) => touches(box, other.box));
  for (const wish of wishes) {
    const found = places(wish, widthOf).find(({ box }) => isFree(box));
    if (found) placed.push(found);
  }
  return placed;
}

/** Where and how it could stand, the best first. */
function places(wish: Wish, widthOf: (text: string, line: number) => number): Label[] {
  const found: Label[] = [];
  for (const lines of wish.lines.length > 1 ? [wish.lines, wish.lines.slice(0, 1)] : [wish.lines]) {
    const [half, high] = [Math.max(...lines.map(widthOf)) / 2 + AIR, (lines.length * LINE) / 2 + AIR];
    if (lines.length > 1 && half * 2 > wish.room.width) continue;
    const slack = Math.max(0, wish.room.height / 2 - high + AIR);
    for (let shift = 0; shift <= slack; shift += STEP) {
      for (const y of shift ? [wish.y + shift, wish.y - shift] : [wish.y]) {
        found.push({ ...wish, lines, y, box: { left: wish.x - half, right: wish.x + half, top: y - high, bottom: y + high } });
      }
    }
  }
  return found;
}

export function touches(a: Box, b: Box): boolean {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
}
