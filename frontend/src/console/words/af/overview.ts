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

  // ’n huis wat begin
  firstShow: 'Op pad na die eerste vertoning',
  firstShowMore: 'In hierdie volgorde. Niemand sien iets voor jy dit publiseer nie.',
  steps: [
    { title: 'Voeg ’n lokaal by', more: 'Waar dit is, sy tydsone, en die hekke waardeur mense inkom.' },
    { title: 'Teken sy sitplekke', more: 'Uit ’n paar getalle of uit ’n lêer. Waar mense staan, is ’n sone genoeg.' },
    { title: 'Maak ’n konsep van die vertoning', more: 'Sy naam, sy datum en ’n prent; dan kaartjiesoorte. Sy bladsy sê wat ontbreek voor dit gepubliseer word.' },
    { title: 'Nooi die span', more: 'Enige tyd: wie verkoop, wie skandeer, en wie wat mag doen.' },
  ],

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
