// Numbers over time, with the hours and days in which nothing happened.

import { fromLocal, toLocal } from './zoned';

interface Point {
  at: number;
  value: number;
}

export interface Series {
  times: number[];
  values: number[];
}

const HOUR = 3_600_000;

/** One value for each hour, or each day on that clock, from the one that `since` is in to the one that `until` is in. */
export function byStep(points: readonly Point[], since: number, until: number, step: 'hour' | 'day', timeZone: string): Series {
  const known = new Map<number, number>();
  for (const point of points) known.set(begin(point.at, step, timeZone), (known.get(begin(point.at, step, timeZone)) ?? 0) + point.value);
  const times: number[] = [];
  // A day is 23 to 25 hours long: going on by 26 hours from its begin lands in the next one.
  for (let at = begin(since, step, timeZone); at <= until; at = begin(at + (step === 'hour' ? HOUR : 26 * HOUR), step, timeZone)) times.push(at);
  return { times, values: times.map((at) => known.get(at) ?? 0) };
}

function begin(ms: number, step: 'hour' | 'day', timeZone: string): number {
  if (step === 'hour') return Math.floor(ms / HOUR) * HOUR;
  return Date.parse(fromLocal(`${toLocal(new Date(ms).toISOString(), timeZone).slice(0, 10)}T00:00`, timeZone)!);
}
