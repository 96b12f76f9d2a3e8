import type { reports as en } from '../reports';
import { counted } from '../spoken';

export const reports: typeof en = {
  title: 'Verslae',
  about: 'Wat van gehoue plekke en betalings geword het, vertoning vir vertoning. Die laaste datum staan eerste.',
  oneTitle: 'Verslag',
  oneAbout: 'Van hou tot verkoop: wat geword het van alles wat iemand gehou het.',
  theReports: 'die verslae',
  theReport: 'die verslag',

  // filters
  showFrom: 'Vertoning van',
  showUntil: 'Vertoning tot',

  // leeg
  noneYet: 'Nog niks te vertel nie',
  noneYetMore: 'Verslae begin met die eerste vertoning wat aangekondig word.',
  noneFits: 'Geen vertoning pas nie',
  noneFitsMore: 'Kies ’n ander status of ander datums.',
  noHolds: 'Niemand het nog ’n plek gehou nie',
  noHoldsMore: 'Die eerste sitplek wat iemand neem, begin die verslag.',

  // merke
  marks: { cancelled: 'Hierdie vertoning is gekanselleer.', postponed: 'Hierdie vertoning is uitgestel.' },
  because: (reason) => `Rede: ${reason}`,
  stoppedMore: 'Wat op daardie oomblik gehou is of aan die betaal was, is nie opgegee nie: dit tel as vrygegee en gestaak.',
  waitingMore: 'Sonder ’n nuwe datum wag die gehoue plekke, en tel as nog gehou.',

  // die tregter
  funnel: 'Van hou tot verkoop',
  funnelOfAll: 'Van hou tot verkoop, in die vertonings hieronder',
  drawn: (title) => `${title}, geteken. Dieselfde getalle staan in die tabel daarlangs.`,
  held: 'Gehou',
  inCheckout: 'Het by betaling gekom',
  wentOn: (part) => `${part} het voortgegaan`,
  becameOf: 'Wat van die gehoue plekke geword het',
  outcome: 'Uitkoms',
  holds: 'Gehoue plekke',
  partOfAll: 'Van alles',
  expired: 'Tyd verstreke',
  released: 'Vrygegee',
  givenBack: 'Teruggegee',
  byHouse: 'Deur die huis beëindig',
  stillHeld: 'Nog gehou',

  // betalings
  checkouts: 'Betalings',
  becameOfCheckouts: 'Wat van die betalings geword het',
  bought: 'Gekoop',
  left: 'Verlaat',
  ranOut: 'Tyd verstreke',
  stopped: 'Saam met die vertoning gestaak',
  open: 'Nou oop',
  againOnce: 'Een wat die koper weer begin het, tel een keer.',

  // getalle en kolomme
  holdToSale: 'Gehoue plekke wat verkoop is',
  checkoutToSale: 'Betalings wat verkope geword het',
  abandoned: 'Betalings wat verlaat is',
  expiry: 'Gehoue plekke waarvan die tyd verstryk het',
  timeToSale: 'Van hou tot verkoop',
  timeToSaleMore: 'minute; die helfte was vinniger',
  placesSold: (n, of) => `${n} van ${of} plekke gehou`,
  ofHolds: (n) => `van ${n} gehoue plekke`,
  ofCheckouts: (n) => `van ${n} betalings`,
  soldShare: 'Het verkope geword',
  expiredShare: 'Tyd verstreke',
  abandonedShare: 'Verlaat',
  showsCounted: (n) => counted(n, { one: 'vertoning', other: 'vertonings' }),

  // per dag
  byDay: 'Volgens die dag waarop hulle gehou is',
  byDayTitle: 'Gehoue plekke per dag, en hoeveel daarvan verkoop is',
};
