// A short message at the bottom of the page: what was just done. Errors are shown next to the form instead.

export interface Said {
  id: number;
  text: string;
  kind: 'done' | 'wrong';
}

const KEPT_MS = 6000;
let next = 0;
let said: Said[] = $state([]);

export function toasts(): readonly Said[] {
  return said;
}

export function say(text: string, kind: Said['kind'] = 'done'): void {
  const id = next++;
  said = [...said.slice(-2), { id, text, kind }];
  setTimeout(() => (said = said.filter((one) => one.id !== id)), KEPT_MS);
}
