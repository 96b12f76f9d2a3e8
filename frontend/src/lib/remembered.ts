// Local and session storage. A browser may refuse it to a frame: then nothing is kept.

function store(kind: 'local' | 'session'): Storage {
  return kind === 'local' ? localStorage : sessionStorage;
}

export function remembered(key: string, kind: 'local' | 'session' = 'session'): string | null {
  try {
    return store(kind).getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string, kind: 'local' | 'session' = 'session'): void {
  try {
    store(kind).setItem(key, value);
  } catch {
    // nothing is lost but a reload
  }
}

export function forget(key: string, kind: 'local' | 'session' = 'session'): void {
  try {
    store(kind).removeItem(key);
  } catch {
    // nothing is kept
  }
}
