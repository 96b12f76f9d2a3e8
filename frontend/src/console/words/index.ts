// The console's texts, by area. A page gets its area's texts and the common ones in one object: `t.save`.

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

/** The display name of an API code; a code without a name is shown with spaces for underscores. */
export function named(names: Record<string, string>, code: string): string {
  return names[code] ?? code.replaceAll('_', ' ');
}
