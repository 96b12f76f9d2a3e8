// What a buyer has typed, kept for a reload or a return from their bank. It belongs to one person: after a sign-in, or for
// the next buyer, the form begins with the account's name and email address.

import type { Buyer } from './card';
import { forget, remember, remembered } from '../lib/remembered';

const KEY = 'fullhouse:buyer';

/** The name and address to begin with; `known` is who is signed in. */
export function beginWith(known: Partial<Record<keyof Buyer, string | null>> | null): Buyer {
  const kept = read();
  const typed = kept.whose === (known?.email ?? '') ? kept : {};
  return { name: typed.name || known?.name || '', email: typed.email || known?.email || '' };
}

export function keep({ name, email }: Buyer, known: { email: string | null } | null): void {
  remember(KEY, JSON.stringify({ name, email, whose: known?.email ?? '' }));
}

export function drop(): void {
  forget(KEY);
}

function read(): Partial<Buyer> & { whose?: string } {
  try {
    return JSON.parse(remembered(KEY) ?? '{}');
  } catch {
    return {};
  }
}
