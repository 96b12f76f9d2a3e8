// The page's texts. Each language is a script of its own (`speak/`). The server puts the reader's before the program's, so
// that nobody loads a language that they do not read. Nothing is rendered before it is there. `<html lang>` names the same
// language and decides how dates and numbers are written.

import { Offline, Problem } from '../api';
import { language } from '../language';
import { refusal } from '../refusal';
import type { Words } from './en';
import type { Later } from './later/en';

export type { Words };

export let t: Words;
/** The same, with the texts of the checkout and of tickets, which are a script of their own: `import { later as t }`. */
export let later: Words & Later;

export function speak(words: Words): void {
  t = words;
}

export function speakLater(words: Later): void {
  if (!t) return; // the first script did not load, and the page says so
  later = { ...t, ...words, problems: Object.assign(t.problems, words.problems) };
}

// Shown if the language's script did not load. It stands here in both languages, since then there is no catalogue.
const SPEECHLESS: Record<string, string> = { en: 'This page did not load completely. Please reload it.', af: 'Hierdie bladsy het nie heeltemal gelaai nie. Herlaai dit asseblief.' };

/** Whether the language's texts are loaded. If not, a message takes the program's place. */
export function canSpeak(place: HTMLElement, words: unknown = t): boolean {
  if (!words) place.textContent = SPEECHLESS[language] ?? SPEECHLESS['en']!;
  return !!words;
}

/** The text of a code by itself. */
export const messageOf = (code: string) => refusal(new Problem(0, code, ''), t.problems, language);

/** What went wrong, in the reader's language. */
export function sentence(error: unknown): string {
  if (error instanceof Offline) return t.noConnection;
  return error instanceof Problem ? refusal(error, t.problems, language) : messageOf('unknown');
}
