// Finds a row by a key of 64 bits: open addressing over typed arrays. A hundred thousand rows take milliseconds and a megabyte;
// a Map of texts or big integers takes ten times both.

export class Finder {
  private readonly slots: Int32Array;
  private readonly mask: number;

  /** `high` and `low` are the halves of each row's key. */
  constructor(
    private readonly high: Uint32Array,
    private readonly low: Uint32Array,
  ) {
    let size = 16;
    while (size < low.length * 2) size *= 2;
    this.mask = size - 1;
    this.slots = new Int32Array(size).fill(-1);
    for (let row = 0; row < low.length; row++) this.slots[this.slot(high[row]!, low[row]!)] = row;
  }

  /** The row, or -1. */
  find(high: number, low: number): number {
    return this.slots[this.slot(high, low)]!;
  }

  private slot(high: number, low: number): number {
    let at = (Math.imul(low ^ high, 0x9e3779b1) >>> 7) & this.mask;
    for (;;) {
      const row = this.slots[at]!;
      if (row < 0 || (this.low[row] === low && this.high[row] === high)) return at;
      at = (at + 1) & this.mask;
    }
  }
}
