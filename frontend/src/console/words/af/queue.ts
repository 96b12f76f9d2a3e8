import type { queue as en } from '../queue';

export const queue: typeof en = {
  // die wagkamer
  theRoom: 'die wagkamer',
  title: 'Ry en betaling',
  rooms: {
    closed: { name: 'Geen ry', says: 'Mense kies en koop sonder om te wag.' },
    pre: { name: 'Versamel', says: 'Mense versamel; hul volgorde word geloot wanneer dit open.' },
    open: { name: 'Oop', says: 'Mense kom om die beurt in, soos plekke vry raak.' },
    paused: { name: 'Onderbreek', says: 'Niemand word ingelaat nie. Mense mag nog aansluit, en dié binne gaan voort.' },
    draining: { name: 'Loop leeg', says: 'Niemand nuut mag aansluit nie. Wanneer dié wat wag, bedien is, sluit die kamer.' },
  },
  itOpens: (when, zone) => `Dit open ${when} (${zone}).`,

  // wat daarvan beveel kan word
  orders: {
    open: { name: 'Maak die ry oop', title: 'Die wagkamer nou oopmaak?', done: 'Die kamer is oop.', told: ['Van nou af kies mense om die beurt.', 'Wie reeds sitplekke hou, is binne.', 'As mense vir ’n loting versamel, word nou geloot.'] },
    pause: { name: 'Onderbreek', title: 'Vir eers niemand inlaat nie?', done: 'Niemand word ingelaat nie.', told: ['Dié binne gaan voort; niemand nuut kom in voor jy hervat nie.', 'Mense mag nog by die ry aansluit.'] },
    resume: { name: 'Hervat', title: 'Mense weer inlaat?', done: 'Mense word weer ingelaat.', told: ['Die ry beweeg verder van waar dit gestaan het.'] },
    drain: { name: 'Laat leegloop', title: 'Niemand nuut neem nie?', done: 'Die kamer loop leeg.', told: ['Dié wat wag, word bedien, en niemand nuut mag aansluit nie.', 'Dan sluit die kamer, en mense koop sonder om te wag.'] },
  },

  // in getalle
  joinedInAll: (n) => `${n} het altesaam aangesluit`,
  choosing: 'Kies en koop',
  atATime: (n) => `van ${n} op ’n slag`,
  letIn: 'Ingelaat',
  notEnough: 'nog nie genoeg om te sê nie',
  aMinute: 'per minuut',
  haveBought: 'Het gekoop',
  leftAndExpired: (left, expired) => `${left} het verlaat, ${expired} se tyd het verval`,
  lineInNumbers: 'Die ry in getalle',

  // by die betaling
  checkout: 'Betaling',
  open: 'Nou oop',
  begunInAll: (n) => `${n} is altesaam begin`,
  placesHeld: 'Plekke nou gehou',
  placesHeldMore: 'in betalings en mandjies',
  paid: 'Betaal',
  paidMore: 'betalings wat bestellings geword het',
  abandoned: 'Laat vaar',

  // hoe dit werk
  howItWorks: 'Hoe dit werk',
  room: 'Die kamer',
  auto: 'gaan vanself oop as dit vol is',
  on: 'is aan',
  off: 'is af',
  atOnce: 'Mense op ’n slag',
  atOnceMore: 'Soveel kies en betaal gelyktydig.',
  toBegin: 'Sekondes om te begin',
  toBeginMore: 'Wie ingelaat word en so lank niks doen nie, verloor die beurt.',
  opens: 'Open',
  opensMore: (zone) => `In ${zone}. Mense versamel voor dit, en hul volgorde word geloot. Leeg: nou.`,
  savedMore: 'Gestoor. Wie binne is bo ’n nuwe perk, maak klaar; niemand word uitgesit nie.',
};
