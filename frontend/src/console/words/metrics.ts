// Measures, and their bounds.

import { words } from '.';

export const metrics = {
  title: 'Metrics',
  about: 'Whether the sale runs as it should. The green part of each scale is the aim; beyond the red marks somebody should look.',
  theMetrics: 'the metrics',
  installation: 'The installation',
  allTogether: 'all organisations together',
  somebodyShouldLook: 'Somebody should look',
  holds: 'Holds',
  isOdd: (measure: string, value: string, why: string) => `${measure}: ${value}; ${why}.`,
  spike: 'unusually many ran out in this hour. The checkout may be in people’s way.',
  endedByHour: 'Holds that ended, by the hour',
  usual: (n: number) => `Usual is up to ${n} run out in an hour`,
  endedInDay: 'Holds that ended in the last day',
  runOut: 'Run out',
  showFull: (when: string, part: string) => `${when}, ${part} full`,
  notListed: (n: number) => `${n} later shows are not listed.`,
  showByShow: 'Show by show',
  noShow: 'No show with seats on sale',
  noShowMore: 'Measures of a show stand here once it has a layout and is announced.',

  // the measures
  measures: {
    orphans: { title: 'Orphaned seats', about: 'Free seats without a free neighbour, of all free ones.' },
    vip: { title: 'VIP zones in use', about: 'Held and sold places of VIP zones.' },
    accessible: { title: 'Wheelchair places in use', about: 'Of all seats held and sold.' },
    conversion: { title: 'Holds that became sales', about: 'Of those that ended in the last day.' },
    layout_load: { title: 'Loading a layout', about: '95 of 100 were faster.' },
    warm_write: { title: 'Writing to Redis', about: '95 of 100 were faster.' },
    layout_hits: { title: 'Layouts found in memory', about: 'Of all times that one was needed.' },
  },
  whys: {} as Record<string, string>, // as the API says them
  onTarget: 'On target',
  offTarget: 'Off target',
  alert: 'Look at it',
  tooEarly: 'Too early to say',
  nothingToMeasure: 'Nothing to measure',
  noFigure: 'no figure',
  aimAndLook: (aim: string, limits: string) => `Aim: ${aim}. Look: ${limits}.`,
  below: (value: string) => `below ${value}`,
  above: (value: string) => `above ${value}`,
  or: 'or',
  andMore: (value: string) => `${value} and more`,
  range: (low: string, high: string) => `${low} to ${high}`,
};

export const t = words('metrics', metrics);
