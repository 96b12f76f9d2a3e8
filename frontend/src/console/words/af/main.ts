// Afrikaans: all of it at once, and only for those who read it.

import { speak } from '../spoken';
import { audit } from './audit';
import { charts } from './charts';
import { common } from './common';
import { doors } from './doors';
import { frame } from './frame';
import { generators } from './generators';
import { house } from './house';
import { layouts } from './layouts';
import { ledger } from './ledger';
import { letters } from './letters';
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
import { shows } from './shows';
import { sites } from './sites';
import { tickets } from './tickets';
import { venues } from './venues';
import { waitlist } from './waitlist';
import { webhooks } from './webhooks';

speak({ audit, charts, common, doors, frame, generators, house, layouts, ledger, letters, lifecycle, metrics, orders, overview, people, platform, queue, reports, rules, seating, shows, sites, tickets, venues, waitlist, webhooks }, problems, mistakes);
