// What the page says. A language is a script of its own (`speak/`), and the one that the server puts before the program's
// decides: nobody loads one that they do not read, and nothing is said before it is there. `<html lang>`, which is the
// same, says how dates and numbers are written.

import { Offline, Problem } from '../api';
import { language } from '../language';
import { refusal } from '../refusal';
import type { Words } from './en';

export type { Words };

export let t: Words;

export function speak(words: Words): void {
  t = words;
}

/** What a code says by itself. */
export const told = (code: string) => refusal(new Problem(0, code, ''), t.problems, language);

/** What went wrong, in the reader's language. */
export function sentence(error: unknown): string {
  if (error instanceof Offline) return t.noConnection;
  return error instanceof Problem ? refusal(error, t.problems, language) : told('unknown');
}
