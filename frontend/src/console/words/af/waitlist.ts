import { counted } from '../spoken';
import type { waitlist as en } from '../waitlist';

export const waitlist: typeof en = {
  theList: 'die waglys',
  title: 'Waglys',
  isOn: 'Aan',
  isOff: 'Af',
  says: {
    on: 'Wie die vertoning uitverkoop vind, kan wag. Plekke wat terugkom, word aangebied in die volgorde waarin mense aangesluit het, voor dit aan almal verkoop word.',
    off: 'Niemand kan aansluit nie, en niemand word iets aangebied nie. Wie wag, hou hul plek totdat dit weer aan is.',
  },

  // in getalle
  people: (n) => counted(n, { one: 'mens', other: 'mense' }),
  offered: 'Aangebied',
  offeredMore: 'word nou vir hulle gehou',
  taken: 'Gekoop',
  takenMore: 'wat hulle aangebied is',
  lapsed: 'Laat verval',
  hasLeft: (n) => `${n} het die lys verlaat`,

  // hoe dit werk
  howItWorks: 'Hoe dit werk',
  switchedOn: 'Die vertoning het ’n waglys',
  window: 'Ure om op ’n aanbod te antwoord',
  windowMore: '’n Kwartier (0.25) tot ’n week (168). Nooit langer as die verkoop nie. Aanbiedinge wat reeds gemaak is, hou hul tyd.',

  // wie wag
  entries: 'Wie daarop is',
  theEntries: 'die inskrywings',
  whichEntries: 'Watter inskrywings',
  states: { waiting: 'Wag', offered: 'Aangebied', taken: 'Gekoop', lapsed: 'Verval', left: 'Verlaat' },
  entriesCounted: (n) => counted(n, { one: 'inskrywing', other: 'inskrywings' }),
  nobody: 'Nog niemand nie',
  nobodyIn: 'Niemand hier nie',
  nobodyMore: 'Wanneer die vertoning uitverkoop is, vra sy blad mense of hulle wil wag.',
  party: 'Groep',
  waitsFor: 'Wag vir',
  anywhere: 'enige plek',
  wheelchair: 'rolstoelplek',
  joined: 'Aangesluit',
  answerBy: 'Antwoord teen',
};
