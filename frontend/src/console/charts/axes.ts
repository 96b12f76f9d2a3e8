// Where a chart's axes are marked: round numbers up the side, round times on the venue's clock along the bottom.

import { DATES } from '../../lib/format';
import { fromLocal, toLocal } from '../zoned';

/** Whole and round numbers from 0 to `top` or a little less, about `wanted` of them. */
export function roundNumbers(top: number, wanted: number): number[] {
  const least = Math.max(1, top / wanted);
  const ten = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * ten).find((one) => one >= least)!;
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, n) => n * step);
}

export interface Mark {
  at: number;
  label: string;
}

const [MINUTE, DAY] = [60_000, 86_400_000];
const STEPS = [...[1, 5, 15, 30, 60, 120, 180, 360, 720].map((n) => n * MINUTE), ...[1, 2, 3, 5, 7, 14, 30, 90, 365].map((n) => n * DAY)];

/** At most `most` ticks of a span at round local times: hours, with the day at midnight, or days. */
export function roundTimes(from: number, to: number, most: number, timeZone: string): Mark[] {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? STEPS.at(-1)!;
  const hour = new Intl.DateTimeFormat(DATES, { timeZone, hour: '2-digit', minute: '2-digit' });
  const day = new Intl.DateTimeFormat(DATES, { timeZone, day: 'numeric', month: 'short' });
  // Steps are counted on the clock's own time, which may be an hour aside later on.
  const onClock = (ms: number) => Date.parse(`${toLocal(new Date(ms).toISOString(), timeZone)}Z`);
  const moment = (clock: number) => Date.parse(fromLocal(new Date(clock).toISOString(), timeZone)!);
  const marks: Mark[] = [];
  for (let clock = Math.ceil(onClock(from) / step) * step; ; clock += step) {
    const at = moment(clock);
    if (at > to || marks.length > most) return marks;
    if (at >= from) marks.push({ at, label: (clock % DAY ? hour : day).format(at) });
  }
}
