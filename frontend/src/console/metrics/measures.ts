// Measures with their bounds: how they are called, and where each stands on its scale.

export interface Measure {
  name: string;
  value: number | null;
  state: 'good' | 'watch' | 'alert' | 'unknown';
  low: number;
  high: number;
  target_low: number;
  target_high: number;
  why: string | null;
}

/** `end` is where the scale ends; what lies beyond stands at its edge. */
export const LABELS: Record<string, { title: string; about: string; unit: 'part' | 'seconds'; end: number }> = {
  orphans: { title: 'Orphaned seats', about: 'Free seats without a free neighbour, of all free ones.', unit: 'part', end: 0.2 },
  vip: { title: 'VIP zones in use', about: 'Held and sold places of VIP zones.', unit: 'part', end: 1 },
  accessible: { title: 'Wheelchair places in use', about: 'Of all seats held and sold.', unit: 'part', end: 0.1 },
  conversion: { title: 'Holds that became sales', about: 'Of those that ended in the last day.', unit: 'part', end: 1 },
  layout_load: { title: 'Loading a layout', about: '95 of 100 were faster.', unit: 'seconds', end: 0.4 },
  warm_write: { title: 'Writing to Redis', about: '95 of 100 were faster.', unit: 'seconds', end: 0.2 },
  layout_hits: { title: 'Layouts found in memory', about: 'Of all times that one was needed.', unit: 'part', end: 1 },
};

export const STATES: Record<Measure['state'], { word: string; kind: 'good' | 'time' | 'bad' | 'plain' }> = {
  good: { word: 'On target', kind: 'good' },
  watch: { word: 'Off target', kind: 'time' },
  alert: { word: 'Look at it', kind: 'bad' },
  unknown: { word: 'Too early to say', kind: 'plain' },
};

export function percent(part: number): string {
  const n = part * 100;
  return `${n !== 0 && n < 10 ? Math.round(n * 10) / 10 : Math.round(n)} %`;
}

export function shown(measure: Measure, value: number | null): string {
  if (value === null) return 'no figure';
  return LABELS[measure.name]?.unit === 'seconds' ? `${Math.round(value * 1000)} ms` : percent(value);
}

/** Where a value stands, from 0 to 1. */
export function at(measure: Measure, value: number): number {
  const end = LABELS[measure.name]?.end ?? 1;
  return Math.min(1, Math.max(0, value / end));
}

/** The aim in words: `60 % to 90 %`, `below 5 %`, `95 % and more`. */
export function aim(measure: Measure): string {
  return range(measure, measure.target_low, measure.target_high);
}

/** Beyond what somebody should look: `below 40 % or above 95 %`. */
export function limits(measure: Measure): string {
  const said: string[] = [];
  if (measure.low > 0) said.push(`below ${shown(measure, measure.low)}`);
  if (at(measure, measure.high) < 1) said.push(`above ${shown(measure, measure.high)}`);
  return said.join(' or ');
}

function range(measure: Measure, low: number, high: number): string {
  if (low <= 0) return `below ${shown(measure, high)}`;
  return at(measure, high) >= 1 ? `${shown(measure, low)} and more` : `${shown(measure, low)} to ${shown(measure, high)}`;
}
