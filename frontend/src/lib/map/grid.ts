// Which seats are here? A plain grid over the plan: built once, asked for every frame and every touch.

import type { Box } from './geometry';

export class Grid {
  private readonly starts: Uint32Array;
  private readonly items: Uint32Array;
  private readonly columns: number;
  private readonly lines: number;

  constructor(
    private readonly x: Float32Array,
    private readonly y: Float32Array,
    width: number,
    height: number,
    private readonly cell: number,
  ) {
    this.columns = Math.max(1, Math.ceil((width + 1) / cell));
    this.lines = Math.max(1, Math.ceil((height + 1) / cell));
    const cells = this.columns * this.lines;
    const starts = new Uint32Array(cells + 1);
    const cellOf = new Uint32Array(x.length);
    for (let i = 0; i < x.length; i++) {
      const c = (cellOf[i] = this.line(y[i]!) * this.columns + this.column(x[i]!));
      starts[c + 1]!++;
    }
    for (let c = 0; c < cells; c++) starts[c + 1]! += starts[c]!;
    const next = starts.slice(0, cells);
    this.items = new Uint32Array(x.length);
    for (let i = 0; i < x.length; i++) this.items[next[cellOf[i]!]!++] = i;
    this.starts = starts;
  }

  /** Calls `see` with each seat in the box, and with some around it. */
  within(box: Box, see: (ordinal: number) => void): void {
    const [left, right] = [this.column(box.left), this.column(box.right)];
    const [top, bottom] = [this.line(box.top), this.line(box.bottom)];
    for (let line = top; line <= bottom; line++) {
      const from = this.starts[line * this.columns + left]!;
      const to = this.starts[line * this.columns + right + 1]!;
      for (let k = from; k < to; k++) see(this.items[k]!);
    }
  }

  /** The seat closest to a point, at most so far away; -1 if there is none. */
  nearest(px: number, py: number, reach: number): number {
    let best = -1;
    let bestDistance = reach * reach;
    this.within({ left: px - reach, right: px + reach, top: py - reach, bottom: py + reach }, (i) => {
      const distance = (this.x[i]! - px) ** 2 + (this.y[i]! - py) ** 2;
      if (distance <= bestDistance) [best, bestDistance] = [i, distance];
    });
    return best;
  }

  private column(px: number): number {
    return Math.min(this.columns - 1, Math.max(0, Math.floor(px / this.cell)));
  }

  private line(py: number): number {
    return Math.min(this.lines - 1, Math.max(0, Math.floor(py / this.cell)));
  }
}
