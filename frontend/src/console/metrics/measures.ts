// Metrics with their bounds: their names, and where a value is on its scale.

import type { Measure } from '../../lib/contract';
import { percent } from '../figures';
import { t } from '../words/metrics';
export type { Measure } from '../../lib/contract';

/** `end` is the end of the scale; larger values are drawn at its edge. */
export const LABELS: Record<string, { title: string; about: string; unit: 'part' | 'seconds'; end: number }> = {
  orphans: { ...t.measures.orphans, unit: 'part', end: 0.2 },
  vip: { ...t.measures.vip, unit: 'part', end: 1 },
  accessible: { ...t.measures.accessible, unit: 'part', end: 0.1 },
  conversion: { ...t.measures.conversion, unit: 'part', end: 1 },
  layout_load: { ...t.measures.layout_load, unit: 'seconds', end: 0.4 },
  warm_write: { ...t.measures.warm_write, unit: 'seconds', end: 0.2 },
  layout_hits: { ...t.measures.layout_hits, unit: 'part', end: 1 },
};

export const STATES: Record<Measure['state'], { word: string; kind: 'good' | 'time' | 'bad' | 'plain' }> = {
  good: { word: t.onTarget, kind: 'good' },
  watch: { word: t.offTarget, kind: 'time' },
  alert: { word: t.alert, kind: 'bad' },
  unknown: { word: t.tooEarly, kind: 'plain' },
};

export function shown(measure: Measure, value: number | null): string {
  if (value === null) return t.noFigure;
  return LABELS[measure.name]?.unit === 'seconds' ? `${Math.round(value * 1000)} ms` : percent(value);
}

/** The position of a value on the scale, from 0 to 1. */
export function at(measure: Measure, value: number): number {
  const end = LABELS[measure.name]?.end ?? 1;
  return Math.min(1, Math.max(0, value / end));
}

/** The aim in words: `60% to 90%`, `below 5%`, `95% and more`. */
export function aim(measure: Measure): string {
  return range(measure, measure.target_low, measure.target_high);
}

/** The bounds beyond which a metric needs attention: `below 40% or above 95%`. */
export function limits(measure: Measure): string {
  const said: string[] = [];
  if (measure.low > 0) said.push(t.below(shown(measure, measure.low)));
  if (at(measure, measure.high) < 1) said.push(t.above(shown(measure, measure.high)));
  return said.join(` ${t.or} `);
}

function range(measure: Measure, low: number, high: number): string {
  if (low <= 0) return t.below(shown(measure, high));
  return at(measure, high) >= 1 ? t.orMore(shown(measure, low)) : t.range(shown(measure, low), shown(measure, high));
}
