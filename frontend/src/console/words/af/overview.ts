import type { overview as en } from '../overview';
import { counted } from '../spoken';

export const overview: typeof en = {
  // die oorsig
  title: 'Oorsig',
  yourShows: 'jou vertonings',
  newShow: 'Nuwe vertoning',
  liveNow: (n) => `${n} nou aan`,
  noneLive: 'niks nou aan nie',
  soldInADay: 'Verkoop in 24 uur',
  soldAhead: 'Verkoop van wat kom',
  ofPlaces: (n) => `van ${n} plekke`,
  refunded: (amount) => `${amount} terugbetaal`,
  ofShowsAhead: 'van die komende vertonings',
  inLiveShows: 'by vertonings wat nou aan is',
  howFarBack: 'Hoe ver terug',
  twoDays: '48 uur',
  month: '30 dae',
  needsAttention: 'Verg aandag',
  nothingNow: 'Niks op die oomblik nie.',
  queues: 'Rye',
  allShows: 'Alle vertonings',
  net: 'Netto',
  nothingAnnounced: 'Niks is aangekondig nie. Konsepte is onder',
  shows: 'Vertonings',

  // wat op iemand wag
  incidentsAtGates: (n) => `${counted(n, { one: 'voorval', other: 'voorvalle' })} by die hekke`,
  gateIsFull: (gate) => `Hek ${gate} is vol`,
  queuePaused: (n) => `Die ry is onderbreek, ${n} wag`,
  postponedNoDate: 'Uitgestel, en sonder ’n nuwe datum',
  waitsForConsent: (code) => `Bestelling ${code} wag vir die koper se toestemming`,
  datePassed: '’n Konsep waarvan die datum verby is',
  draftToday: 'Nog ’n konsep, vandag',
  draftIn: (days) => `Nog ’n konsep, oor ${counted(days, { one: 'dag', other: 'dae' })}`,
};
