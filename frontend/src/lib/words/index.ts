// What the page says. A language is a script of its own (`speak/`), and the one that the server puts before the program's
// decides: nobody loads one that they do not read, and nothing is said before it is there. `<html lang>`, which is the
// same, says how dates and numbers are written.

import { Offline, Problem } from '../api';
import { language } from '../language';
import { refusal } from '../refusal';
import type { Words } from './en';
import type { Later } from './later/en';

export type { Words };

export let t: Words;
/** The same and what is said at the checkout and of tickets, which is a script of its own: `import { later as t }`. */
export let later: Words & Later;

export function speak(words: Words): void {
  t = words;
}

export function speakLater(words: Later): void {
  if (!t) return; // it did not come, and the page says so
  later = { ...t, ...words, problems: Object.assign(t.problems, words.problems) };
}

// The one thing to say where its script did not come: in the pages' languages, since no catalogue is there to hold it.
const SPEECHLESS: Record<string, string> = { en: 'This page did not load completely. Please load it again.', af: 'Hierdie bladsy het nie heeltemal gelaai nie. Laai dit asseblief weer.' };

/** Whether a language has spoken, with all the words that are needed. If not, the place of the program says so. */
export function canSpeak(place: HTMLElement, words: unknown = t): boolean {
  if (!words) place.textContent = SPEECHLESS[language] ?? SPEECHLESS['en']!;
  return !!words;
}

/** What a code says by itself. */
export const told = (code: string) => refusal(new Problem(0, code, ''), t.problems, language);

/** What went wrong, in the reader's language. */
export function sentence(error: unknown): string {
  if (error instanceof Offline) return t.noConnection;
  return error instanceof Problem ? refusal(error, t.problems, language) : told('unknown');
}
