// Seats as pixels: each kind is drawn once for a size, and then stamped into one picture wherever such a seat stands. A
// frame costs as much as it has pixels, and hardly more for twenty thousand seats than for two hundred: paths of so many
// corners take a browser ten times as long.

import type { Box } from './geometry';

type Draw = (ctx: CanvasRenderingContext2D, size: number) => void;
type Stamp = Uint32Array;

export const USUAL = 1024;

export class Stamps {
  private readonly stamps = new Map<number, Stamp>();
  private readonly usual: (Stamp | undefined)[] = new Array(USUAL); // the same, for keys that nearly every seat has
  private readonly ids = new Map<string, number>();
  private pad: CanvasRenderingContext2D | null = null;
  private sheet: CanvasRenderingContext2D | null = null;
  private picture = new ImageData(1, 1);
  private pixels = new Uint32Array(1);
  private part: Box = { left: 0, top: 0, right: 1, bottom: 1 };
  private side = 0;
  private of: unknown;

  /** An empty picture for a part of a canvas, and for seats of so many pixels in these colours. */
  begin(part: Box, size: number, colors: unknown): void {
    if (size !== this.side || colors !== this.of) {
      this.side = size;
      this.of = colors;
      this.stamps.clear();
      this.usual.fill(undefined);
      this.pad = surface(this.side, this.side);
    }
    this.part = part;
    const [width, height] = [part.right - part.left, part.bottom - part.top];
    this.sheet ??= surface(1, 1);
    if (this.sheet && (this.picture.width !== width || this.picture.height !== height)) {
      [this.sheet.canvas.width, this.sheet.canvas.height] = [width, height];
      this.picture = new ImageData(width, height);
      this.pixels = new Uint32Array(this.picture.data.buffer);
    } else this.pixels.fill(0);
  }

  /** A small number for a text, the same each time: numbers make quicker keys. */
  id(text: string): number {
    const known = this.ids.get(text);
    if (known === undefined) this.ids.set(text, this.ids.size + 1);
    return known ?? this.ids.size;
  }

  /** With its corner on a pixel of the canvas. False if there is no such stamp yet. */
  put(key: number, x: number, y: number): boolean {
    const stamp = key < USUAL ? this.usual[key] : this.stamps.get(key);
    if (!stamp) return false;
    const { side, pixels } = this;
    const { width, height } = this.picture;
    const [left, top] = [x - this.part.left, y - this.part.top];
    const from = left < 0 ? -left : 0;
    const to = left + side > width ? width - left : side;
    const last = top + side > height ? height - top : side;
    for (let line = top < 0 ? -top : 0; line < last; line++) {
      const at = (top + line) * width + left;
      const inked = line * side;
      for (let k = from; k < to; k++) {
        const ink = stamp[inked + k]!;
        if (ink) pixels[at + k] = ink;
      }
    }
    return true;
  }

  /** Lays the picture over what the canvas shows. */
  end(ctx: CanvasRenderingContext2D): void {
    if (!this.sheet) return;
    this.sheet.putImageData(this.picture, 0, 0);
    ctx.drawImage(this.sheet.canvas, this.part.left, this.part.top);
  }

  /** Draws a stamp, around the middle of its square. */
  make(key: number, draw: Draw): void {
    const { pad, side } = this;
    if (!pad) return;
    pad.setTransform(1, 0, 0, 1, 0, 0);
    pad.clearRect(0, 0, side, side);
    pad.translate(side / 2, side / 2);
    draw(pad, side);
    const made = new Uint32Array(pad.getImageData(0, 0, side, side).data.buffer);
    if (key < USUAL) this.usual[key] = made;
    else this.stamps.set(key, made);
  }
}

function surface(width: number, height: number): CanvasRenderingContext2D | null {
  const made = document.createElement('canvas');
  [made.width, made.height] = [width, height];
  return made.getContext('2d', { willReadFrequently: true });
}
