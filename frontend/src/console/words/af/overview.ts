import type { overview as en } from '../overview';
import { counted } from '../spoken';

export const overview: typeof en = {
  // die oorsig
  title: 'Oorsig',
  yourEvents: 'jou geleenthede',
  createEvent: 'Skep geleentheid',
  liveNow: (n) => `${n} nou aan`,
  noneLive: 'niks tans aan nie',
  soldInADay: 'Verkoop in die laaste 24 uur',
  soldUpcoming: 'Kaartjies verkoop (komende)',
  ofCapacity: (n) => `van altesaam ${n} beskikbaar`,
  refunded: (amount) => `${amount} terugbetaal`,
  ofUpcomingEvents: 'uit komende geleenthede',
  inLiveEvents: 'by geleenthede wat nou aan is',
  howFarBack: 'Tydperk',
  twoDays: 'Laaste 48 uur',
  month: 'Laaste 30 dae',
  needsAttention: 'Verg aandag',
  nothingNow: 'Tans niks nie.',
  waitingRooms: 'Wagkamers',
  allEvents: 'Alle geleenthede',
  net: 'Netto',
  nothingAnnounced: 'Geen komende geleentheid is gepubliseer nie. Jou konsepte is onder',
  events: 'Geleenthede',

  // ’n nuwe organisasie
  firstEvent: 'Skep jou eerste geleentheid',
  firstEventMore: 'Volg hierdie stappe in volgorde. Die publiek sien niks voordat jy publiseer nie.',
  steps: [
    { title: 'Voeg ’n lokaal by', more: 'Sy adres, sy tydsone en sy hekke.' },
    { title: 'Skep ’n uitleg', more: 'Genereer die sitplekke, of voer ’n lêer in. Staanplek is ’n sone met ’n kapasiteit.' },
    { title: 'Skep ’n geleentheid', more: 'Sy naam, datum en prent, dan sy kaartjiesoorte. Die geleentheid se bladsy wys wat nog ontbreek voordat jy publiseer.' },
    { title: 'Nooi jou span', more: 'Enige tyd. ’n Rol bepaal wat elke spanlid kan doen.' },
  ],

  // wat op iemand wag
  incidentsAtGates: (n) => `${counted(n, { one: 'voorval', other: 'voorvalle' })} by die hekke`,
  gateIsFull: (gate) => `Hek ${gate} is vol`,
  queuePaused: (n) => `Wagkamer onderbreek, ${n} wag`,
  postponedNoDate: 'Uitgestel: nog geen nuwe datum nie',
  waitsForConsent: (code) => `Bestelling ${code}: wag dat die koper ander sitplekke aanvaar`,
  datePassed: 'Konsep met ’n datum in die verlede',
  draftToday: 'Nog ’n konsep, vind vandag plaas',
  draftIn: (days) => `Nog ’n konsep, ${counted(days, { one: 'dag', other: 'dae' })} oor`,
};
