// What the page says, in the page's language: `<html lang>` decides, and the server decides that. A language is a script of
// its own (`speak/`), which the server puts before the program's: nobody loads one that they do not read, and nothing is
// said before it is there.

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
