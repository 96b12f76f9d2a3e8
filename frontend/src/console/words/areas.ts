// Which catalogues there are. Another language has all of them, with the same keys, or does not compile.

import type { audit } from './audit';
import type { charts } from './charts';
import type { common } from './common';
import type { doors } from './doors';
import type { frame } from './frame';
import type { generators } from './generators';
import type { house } from './house';
import type { layouts } from './layouts';
import type { ledger } from './ledger';
import type { letters } from './letters';
import type { lifecycle } from './lifecycle';
import type { metrics } from './metrics';
import type { orders } from './orders';
import type { overview } from './overview';
import type { people } from './people';
import type { platform } from './platform';
import type { queue } from './queue';
import type { reports } from './reports';
import type { rules } from './rules';
import type { seating } from './seating';
import type { shows } from './shows';
import type { sites } from './sites';
import type { tickets } from './tickets';
import type { venues } from './venues';
import type { waitlist } from './waitlist';
import type { webhooks } from './webhooks';

export interface Areas {
  audit: typeof audit;
  charts: typeof charts;
  common: typeof common;
  doors: typeof doors;
  frame: typeof frame;
  generators: typeof generators;
  house: typeof house;
  layouts: typeof layouts;
  ledger: typeof ledger;
  letters: typeof letters;
  lifecycle: typeof lifecycle;
  metrics: typeof metrics;
  orders: typeof orders;
  overview: typeof overview;
  people: typeof people;
  platform: typeof platform;
  queue: typeof queue;
  reports: typeof reports;
  rules: typeof rules;
  seating: typeof seating;
  shows: typeof shows;
  sites: typeof sites;
  tickets: typeof tickets;
  venues: typeof venues;
  waitlist: typeof waitlist;
  webhooks: typeof webhooks;
}
