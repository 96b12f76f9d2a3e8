// Metrics and their targets.

import { words } from '.';

export const metrics = {
  title: 'Metrics',
  about: 'Whether sales run as they should. The green part of each scale is the target; a value beyond the red marks needs attention.',
  theMetrics: 'the metrics',
  installation: 'Installation',
  allTogether: 'all organisations',
  needsAttention: 'Needs attention',
  holds: 'Holds',
  alertLine: (measure: string, value: string, why: string) => `${measure}: ${value}; ${why}.`,
  spike: 'unusually many expired in the past hour. Buyers may have trouble at the checkout.',
  endedByHour: 'Holds that ended, by hour',
  usual: (n: number) => `Normal: up to ${n} expired in an hour`,
  endedInDay: 'Holds that ended in the last 24 hours',
  runOut: 'Expired',
  eventSold: (when: string, part: string) => `${when}, ${part} sold`,
  notListed: (n: number) => `${n} later events are not listed.`,
  byEvent: 'By event',
  noEvents: 'No events with seats on sale',
  noEventsMore: 'An event’s metrics appear here once it has a layout and is published.',

  // metrics
  measures: {
    orphans: { title: 'Single seats left over', about: 'Available seats with no available seat next to them, as a share of all available seats.' },
    vip: { title: 'Use of VIP zones', about: 'Share of their capacity that is held or sold.' },
    accessible: { title: 'Use of wheelchair spaces', about: 'As a share of all seats held and sold.' },
    conversion: { title: 'Holds that became sales', about: 'Of the holds that ended in the last 24 hours.' },
    layout_load: { title: 'Time to load a layout', about: '95 of 100 were faster than this.' },
    warm_write: { title: 'Time to write to Redis', about: '95 of 100 were faster than this.' },
    layout_hits: { title: 'Layouts found in memory', about: 'Share of all uses of a layout.' },
  },
  whys: {} as Record<string, string>, // the API's own explanations are English
  onTarget: 'On target',
  offTarget: 'Off target',
  alert: 'Needs attention',
  tooEarly: 'Not enough data yet',
  nothingToMeasure: 'Nothing to measure',
  noFigure: 'no value',
  targetAndAlert: (aim: string, limits: string) => `Target: ${aim}. Needs attention: ${limits}.`,
  below: (value: string) => `below ${value}`,
  above: (value: string) => `above ${value}`,
  or: 'or',
  orMore: (value: string) => `${value} or more`,
  range: (low: string, high: string) => `${low} to ${high}`,
};

export const t = words('metrics', metrics);
