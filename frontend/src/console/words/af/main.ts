// Afrikaans: all of it at once, and only for those who read it.

import { speak } from '../spoken';
import { audit } from './audit';
import { charts } from './charts';
import { common } from './common';
import { doors } from './doors';
import { frame } from './frame';
import { generators } from './generators';
import { organisation } from './organisation';
import { layouts } from './layouts';
import { ledger } from './ledger';
import { emails } from './emails';
import { lifecycle } from './lifecycle';
import { metrics } from './metrics';
import { orders } from './orders';
import { overview } from './overview';
import { people } from './people';
import { platform } from './platform';
import { mistakes, problems } from './problems';
import { queue } from './queue';
import { reports } from './reports';
import { rules } from './rules';
import { seating } from './seating';
import { events } from './events';
import { sites } from './sites';
import { tickets } from './tickets';
import { venues } from './venues';
import { waitlist } from './waitlist';
import { webhooks } from './webhooks';

speak({ audit, charts, common, doors, frame, generators, organisation, layouts, ledger, emails, lifecycle, metrics, orders, overview, people, platform, queue, reports, rules, seating, events, sites, tickets, venues, waitlist, webhooks }, problems, mistakes);
