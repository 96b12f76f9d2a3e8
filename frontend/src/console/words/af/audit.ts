import type { audit as en } from '../audit';
import { counted } from '../spoken';

export const audit: typeof en = {
  title: 'Oudit',
  about: (zone) => `Wie wat gedoen het, waaraan, en hoekom. Niemand kan dit verander of skrap nie. Tye is ${zone}.`,
  writing: 'Skryf…',
  theAudit: 'die oudit',

  // filters
  filters: 'Filters',
  action: 'Handeling',
  aboutWhat: 'Oor',
  everything: 'Alles',
  by: 'Deur',
  anybody: 'Enigiemand',
  somebodyElse: 'Iemand anders',
  onlyAbout: (id) => `Net oor ${id}`,
  showEverything: 'Wys alles',

  // inskrywings
  entries: 'Inskrywings',
  nothingLikeThat: 'Niks soos dit nie',
  nothingFits: 'Niks is gedoen wat by hierdie filters pas nie.',
  standsHere: 'Wat hier gedoen word, staan hier.',
  latest: 'Die nuutste',
  allOfIt: 'Alles daarvan',
  allByThem: 'alles deur hulle',
  allAboutIt: 'alles daaroor',
  approval: 'Goedkeuring',
  request: 'Versoek',
  whatChanged: 'Wat verander het',
  field: 'Veld',
  before: 'Voor',
  after: 'Ná',
  none: 'geen',
  nothing: 'niks',
  andMore: (shown, n) => `${shown} … en nog ${n}`,
  entriesCounted: (n) => counted(n, { one: 'inskrywing', other: 'inskrywings' }),

  // wie, en waaroor dit gaan
  actors: { user: 'gebruiker', api_key: 'API-sleutel', device: 'toestel', platform: 'platform', system: 'stelsel' },
  things: {
    event: 'vertoning', order: 'bestelling', refund: 'terugbetaling', checkout: 'betaling', ticket: 'kaartjie', ticket_type: 'kaartjiesoort', promo_code: 'promosiekode',
    layout: 'uitleg', venue: 'lokaal', gate: 'hek', scan_device: 'toestel', user: 'gebruiker', invitation: 'uitnodiging', session: 'sessie',
    api_key: 'API-sleutel', membership: 'lidmaatskap', webhook: 'webhook', image: 'prent', organization: 'organisasie',
  }, // prettier-ignore
};
