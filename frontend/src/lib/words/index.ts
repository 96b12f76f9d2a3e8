// What the page says, in the page's language: `<html lang>` decides, and the server decides that.

import { Offline, Problem } from '../api';
import { language } from '../language';
import { refusal } from '../refusal';
import { af } from './af';
import { en, type Words } from './en';

export type { Words };
export const CATALOGUES: Record<string, Words> = { en, af };

export const t: Words = CATALOGUES[language] ?? en;

/** What a code says by itself. */
export const told = (code: string) => refusal(new Problem(0, code, ''), t.problems, language);

/** What went wrong, in the reader's language. */
export function sentence(error: unknown): string {
  if (error instanceof Offline) return t.noConnection;
  return error instanceof Problem ? refusal(error, t.problems, language) : told('unknown');
}
