// What the reader's language says. English stands beside the pages that speak it; another language is a script of its
// own, which the server puts before the console's when the page is in it (`words/af/main.ts`), and which speaks first.

import { count } from '../../lib/format';
import { language } from '../../lib/language';
import type { Areas } from './areas';

let spoken: Areas | null = null;

export function speak(areas: Areas): void {
  spoken = areas;
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
