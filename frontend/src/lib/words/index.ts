// What the page says, in the page's language: `<html lang>` decides, and the server decides that.

import { Offline, Problem } from '../api';
import { language } from '../language';
import { af } from './af';
import { en, type Words } from './en';

export type { Words };
export const CATALOGUES: Record<string, Words> = { en, af };

export const t: Words = CATALOGUES[language] ?? en;

/** A refusal in the reader's language where we have it; otherwise the house's own sentence. */
export function sentence(error: unknown): string {
  if (error instanceof Offline) return t.noConnection;
  if (error instanceof Problem) return t.problems[error.code] ?? error.message;
  return error instanceof Error ? error.message : String(error);
}
