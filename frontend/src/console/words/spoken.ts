// The texts in the reader's language. English is part of the pages' scripts; another language is a script of its
// own, which the server puts before the console's when the page is in it (`words/af/main.ts`), and which speaks first.

import type { Problem } from '../../lib/api';
import { count } from '../../lib/format';
import { language } from '../../lib/language';
import { refusal, type Refusals } from '../../lib/refusal';
import type { Areas } from './areas';

type Mistakes = [RegExp, string][];

let spoken: Areas | null = null;
let refusals: Refusals | null = null;
let mistakes: Mistakes = [[/^/, '']]; // in English they stay as they are

export function speak(areas: Areas, problems: Refusals, fields: Mistakes): void {
  [spoken, refusals, mistakes] = [areas, problems, fields];
}

/** The text of a refusal: the server's own, which is English, or its translation. */
export function refused(problem: Problem): string {
  return refusals ? refusal(problem, refusals, language) : problem.message;
}

/** The same of a refusal of which only the code is left. Null where it says more than the code tells, and in English. */
export function refusedBy(code: unknown): string | null {
  const told = refusals?.[String(code)];
  return typeof told === 'string' ? told : null;
}

const THOUSANDS = /\d{1,3}(?:,\d{3})+/g;

/** The message of a field error, with thousands separated as the language does. The last pattern matches all others. */
export function mistaken(message: string): string {
  const [form, said] = mistakes.find(([known]) => known.test(message))!;
  return message.replace(form, said).replace(THOUSANDS, (n) => count(Number(n.replaceAll(',', ''))));
}

/** An area's texts in the reader's language; in English if it is that, or if the other one did not come. */
export function chosen<Area extends keyof Areas>(area: Area, english: Areas[Area]): Areas[Area] {
  return spoken?.[area] ?? english;
}

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

const rules = new Intl.PluralRules(language);

/** `plural(2, { one: 'seat is', other: 'seats are' })`: seats are. */
export function plural(n: number, forms: Forms): string {
  return forms[rules.select(n)] ?? forms.other;
}

/** `counted(1200, { one: 'seat', other: 'seats' })`: 1,200 seats. */
export function counted(n: number, forms: Forms): string {
  return `${count(n)} ${plural(n, forms)}`;
}
