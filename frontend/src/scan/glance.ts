const GONE_MS = 1_800;

/** A ticket that stays before the camera is one scan. It is another one after it was away. */
export class Glance {
  private text = '';
  private seen = -Infinity;

  isNew(text: string, at: number): boolean {
    const fresh = text !== this.text || at - this.seen > GONE_MS;
    [this.text, this.seen] = [text, at];
    return fresh;
  }
}
