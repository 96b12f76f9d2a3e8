import type { queue as en } from '../queue';

export const queue: typeof en = {
  // die wagkamer
  theWaitingRoom: 'die wagkamer',
  title: 'Wagkamer en betaling',
  states: {
    closed: { name: 'Af', says: 'Besoekers kies kaartjies en koop sonder om te wag.' },
    pre: { name: 'Wag vir opening', says: 'Besoekers kan aansluit. As die wagkamer oopgaan, word hul posisies geloot.' },
    open: { name: 'Oop', says: 'Besoekers sluit by die tou aan en word ingelaat soos plekke binne vry raak.' },
    paused: { name: 'Onderbreek', says: 'Niemand word ingelaat nie. Besoekers kan nog by die tou aansluit, en mense wat reeds kies, kan klaarmaak.' },
    draining: { name: 'Sluit', says: 'Niemand anders kan aansluit nie. Sodra almal in die tou ingelaat is, sluit die wagkamer.' },
  },
  itOpens: (when, zone) => `Dit open ${when} (${zone}).`,

  // aksies
  actions: {
    open: { name: 'Maak wagkamer oop', title: 'Die wagkamer nou oopmaak?', done: 'Wagkamer oop.', told: ['Van nou af sluit besoekers by die tou aan voordat hulle kan koop.', 'Mense wat reeds kaartjies hou, word ingelaat.', 'As mense vir die opening wag, word hul posisies nou geloot.'] },
    pause: { name: 'Onderbreek', title: 'Die wagkamer onderbreek?', done: 'Wagkamer onderbreek.', told: ['Mense wat reeds kies, kan klaarmaak. Niemand anders word ingelaat voordat jy hervat nie.', 'Besoekers kan nog by die tou aansluit.'] },
    resume: { name: 'Hervat', title: 'Die wagkamer hervat?', done: 'Wagkamer hervat.', told: ['Mense in die tou word weer ingelaat, in dieselfde volgorde.'] },
    drain: { name: 'Sluit', title: 'Die wagkamer sluit?', done: 'Die wagkamer sluit.', told: ['Mense in die tou word nog ingelaat. Niemand anders kan aansluit nie.', 'Daarna koop besoekers sonder om te wag.'] },
  },

  // in getalle
  joinedInAll: (n) => `${n} het altesaam aangesluit`,
  choosing: 'Kies of betaal',
  atATime: (n) => `van ${n} plekke binne`,
  letIn: 'Ingelaat',
  notEnough: 'nog nie genoeg data nie',
  aMinute: 'per minuut',
  bought: 'Het gekoop',
  leftAndExpired: (left, expired) => `${left} het verlaat, ${expired} se tyd was verby`,
  queueInNumbers: 'Syfers van die wagkamer',

  // by die betaling
  checkout: 'Betaling',
  open: 'Aan die gang',
  startedInAll: (n) => `${n} is altesaam begin`,
  ticketsHeld: 'Kaartjies gehou',
  ticketsHeldMore: 'in mandjies en betalings',
  paid: 'Betaal',
  paidMore: 'betalings voltooi',
  abandoned: 'Opgegee',

  // hoe dit werk
  howItWorks: 'Instellings',
  mode: 'Wagkamer',
  auto: 'outomaties: gaan oop as alle plekke binne beset is',
  on: 'altyd aan',
  off: 'altyd af',
  atOnce: 'Plekke binne',
  atOnceMore: 'Hoeveel mense gelyktydig kaartjies kan kies en betaal.',
  timeToStart: 'Sekondes om te begin',
  timeToStartMore: 'Mense wat so lank niks doen nadat hulle ingelaat is, verloor hul beurt.',
  opens: 'Openingstyd',
  opensMore: (zone) => `Tydsone: ${zone}. Besoekers kan vooraf aansluit; op hierdie tyd word hul posisies geloot. As dit leeg is: gaan nou oop.`,
  savedMore: 'Gestoor. As daar nou minder plekke binne is, kan mense wat reeds binne is, klaarmaak.',
};
