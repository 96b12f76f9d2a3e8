// The console's texts, by area. A page has its area's and those that are said everywhere as one: `t.save`.

import { Offline, Problem } from '../../lib/api';
import type { Areas } from './areas';
import { common as english } from './common';
import { chosen, refused } from './spoken';

export const common = chosen('common', english);

export function words<Area extends keyof Areas>(area: Area, texts: Areas[Area]): Areas['common'] & Areas[Area] {
  return { ...common, ...chosen(area, texts) };
}

/** What went wrong, in a sentence. */
export function sentence(error: unknown): string {
  if (error instanceof Offline) return common.offlineForm;
  return error instanceof Problem ? refused(error) : common.wentWrong;
}

/** What the API calls something, as people call it; what has no name yet is said as it is written. */
export function named(names: Record<string, string>, code: string): string {
  return names[code] ?? code.replaceAll('_', ' ');
}
