import type { reports as en } from '../reports';
import { counted } from '../spoken';

export const reports: typeof en = {
  title: 'Verslae',
  about: 'Van gehou tot verkoop, per geleentheid. Laaste datum eerste.',
  oneTitle: 'Verslag',
  oneAbout: 'Hoeveel gehoue sitplekke verkoop is, en wat met die ander gebeur het.',
  theReports: 'die verslae',
  theReport: 'die verslag',

  // filters
  eventsFrom: 'Geleenthede van',
  eventsUntil: 'Geleenthede tot',

  // leeg
  noneYet: 'Nog geen verslae nie',
  noneYetMore: '’n Geleentheid het ’n verslag sodra dit gepubliseer is.',
  noneMatch: 'Geen geleenthede pas nie',
  noneMatchMore: 'Kies ’n ander status of ander datums.',
  noHolds: 'Nog niks gehou nie',
  noHoldsMore: 'Die verslag begin met die eerste kaartjie in ’n mandjie.',

  // merke
  banners: { cancelled: 'Hierdie geleentheid is gekanselleer.', postponed: 'Hierdie geleentheid is uitgestel.' },
  because: (reason) => `Rede: ${reason}`,
  stoppedMore: 'Wat op daardie oomblik gehou is of betaal is, tel nie as opgegee nie. Dit tel as vrygegee en gestaak.',
  waitingMore: 'Totdat daar ’n nuwe datum is, staan die tyd van gehoue sitplekke stil, en hulle tel as nog gehou.',

  // die tregter
  funnel: 'Van gehou tot verkoop',
  funnelOfAll: 'Van gehou tot verkoop, alle geleenthede hieronder',
  drawn: (title) => `Grafiek: ${title}. Die tabel daarnaas het dieselfde getalle.`,
  held: 'Gehou',
  reachedCheckout: 'By betaling gekom',
  wentOn: (part) => `${part} het voortgegaan`,
  holdOutcomes: 'Uitkoms van gehoue sitplekke',
  outcome: 'Uitkoms',
  holds: 'Gehoue sitplekke',
  partOfAll: 'Deel',
  expired: 'Verval',
  released: 'Vrygegee',
  releasedByBuyer: 'Deur die koper verwyder',
  bySystem: 'Deur die stelsel beëindig',
  stillHeld: 'Nog gehou',

  // betalings
  checkouts: 'Betalings',
  checkoutOutcomes: 'Uitkoms van betalings',
  bought: 'Gekoop',
  left: 'Opgegee',
  ranOut: 'Verval',
  stopped: 'Gestaak (geleentheid uitgestel of gekanselleer)',
  open: 'Aan die gang',
  countedOnce: '’n Betaling wat ’n koper weer begin het, tel een keer.',

  // getalle en kolomme
  holdToSale: 'Gehoue sitplekke wat verkoop is',
  checkoutToSale: 'Betalings wat verkope geword het',
  abandoned: 'Betalings opgegee',
  expiry: 'Gehoue sitplekke verval',
  timeToSale: 'Van gehou tot verkoop',
  timeToSaleMore: 'minute (mediaan)',
  ticketsSoldOfHeld: (n, of) => `${n} van ${of} gehoue kaartjies`,
  ofHolds: (n) => `van ${n} gehoue sitplekke`,
  ofCheckouts: (n) => `van ${n} betalings`,
  soldShare: 'Is verkoop',
  expiredShare: 'Verval',
  abandonedShare: 'Opgegee',
  eventsCounted: (n) => counted(n, { one: 'geleentheid', other: 'geleenthede' }),

  // per dag
  byDay: 'Per dag waarop gehou is',
  byDayTitle: 'Gehoue sitplekke per dag, en hoeveel daarvan verkoop is',
};
