// The audit.

import { words } from '.';
import { counted } from './spoken';

export const audit = {
  title: 'Audit',
  about: (zone: string) => `Who did what, to what, and why. Nobody can change or delete it. Times are ${zone}.`,
  writing: 'Writing…',
  theAudit: 'the audit',

  // filters
  filters: 'Filters',
  action: 'Action',
  aboutWhat: 'About',
  everything: 'Everything',
  by: 'By',
  anybody: 'Anybody',
  somebodyElse: 'Somebody else',
  onlyAbout: (id: string | null) => `Only about ${id}`,
  showEverything: 'Show everything',

  // entries
  entries: 'Entries',
  nothingLikeThat: 'Nothing like that',
  nothingFits: 'Nothing was done that fits these filters.',
  standsHere: 'What is done here stands here.',
  latest: 'Latest',
  allOfIt: 'All of it',
  allByThem: 'all by them',
  allAboutIt: 'all about it',
  approval: 'Approval',
  request: 'Request',
  whatChanged: 'What changed',
  field: 'Field',
  before: 'Before',
  after: 'After',
  none: 'none',
  nothing: 'nothing',
  andMore: (shown: string, n: number) => `${shown} … and ${n} more`,
  entriesCounted: (n: number) => counted(n, { one: 'entry', other: 'entries' }),

  // who and what they are about
  actors: { user: 'user', api_key: 'api key', device: 'device', platform: 'platform', system: 'system' },
  things: {
    event: 'event', order: 'order', refund: 'refund', checkout: 'checkout', ticket: 'ticket', ticket_type: 'ticket type', promo_code: 'promo code',
    layout: 'layout', venue: 'venue', gate: 'gate', scan_device: 'scan device', user: 'user', invitation: 'invitation', session: 'session',
    api_key: 'api key', membership: 'membership', webhook: 'webhook', image: 'image', organization: 'organization',
  }, // prettier-ignore
};

export const t = words('audit', audit);
