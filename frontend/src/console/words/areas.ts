// Which catalogues there are. Another language has all of them, with the same keys, or does not compile.

import type { audit } from './audit';
import type { charts } from './charts';
import type { common } from './common';
import type { doors } from './doors';
import type { frame } from './frame';
import type { generators } from './generators';
import type { organisation } from './organisation';
import type { layouts } from './layouts';
import type { ledger } from './ledger';
import type { emails } from './emails';
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
import type { events } from './events';
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
  organisation: typeof organisation;
  layouts: typeof layouts;
  ledger: typeof ledger;
  emails: typeof emails;
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
  events: typeof events;
  sites: typeof sites;
  tickets: typeof tickets;
  venues: typeof venues;
  waitlist: typeof waitlist;
  webhooks: typeof webhooks;
}
