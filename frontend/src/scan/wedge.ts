// A hand-held scanner is a keyboard that types very fast, and Enter at the end. People type into a field.

const GAP_MS = 120;
const SHORTEST = 8;

export class Wedge {
  private text = '';
  private last = 0;
  private read = -Infinity;

  /** What was read, once it is whole; true while it is being typed, and nothing else should take the key. */
  press(key: string, at: number): string | boolean {
    if (at - this.last > GAP_MS) this.text = '';
    this.last = at;
    if (key === 'Enter') {
      const whole = this.text;
      this.text = '';
      if (whole.length < SHORTEST) return at - this.read <= GAP_MS; // some send it twice: the second must press no button
      this.read = at;
      return whole;
    }
    if (key.length !== 1) return this.text.length > 1;
    this.text += key;
    return this.text.length > 1;
  }
}

/** Keys that are typed into a field stay there. Before the buttons: a blank must not press the one that has the focus. */
export function listen(read: (text: string) => void): () => void {
  const wedge = new Wedge();
  const heard = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.target as Element | null)?.closest('input, textarea, select')) return;
    const found = wedge.press(event.key, event.timeStamp);
    if (found === false) return;
    event.preventDefault();
    event.stopPropagation();
    if (typeof found === 'string') read(found);
  };
  document.addEventListener('keydown', heard, true);
  return () => document.removeEventListener('keydown', heard, true);
}
