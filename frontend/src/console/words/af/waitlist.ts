import { counted } from '../spoken';
import type { waitlist as en } from '../waitlist';

export const waitlist: typeof en = {
  theWaitlist: 'die waglys',
  title: 'Waglys',
  isOn: 'Aan',
  isOff: 'Af',
  explained: {
    on: 'As die geleentheid uitverkoop is, kan mense by die waglys aansluit. Teruggegewe kaartjies word eerste aan hulle aangebied, in die volgorde waarin hulle aangesluit het.',
    off: 'Niemand kan aansluit nie, en geen kaartjies word aangebied nie. Mense wat reeds op die waglys is, behou hul posisie totdat jy dit weer aanskakel.',
  },

  // in getalle
  people: (n) => counted(n, { one: 'mens', other: 'mense' }),
  offered: 'Aangebied',
  offeredMore: 'kaartjies nou vir hulle gehou',
  taken: 'Gekoop',
  takenMore: 'uit ’n aanbod',
  lapsed: 'Aanbiedinge verval',
  hasLeft: (n) => `${n} het die waglys verlaat`,

  // hoe dit werk
  howItWorks: 'Instellings',
  switchedOn: 'Waglys is aan',
  window: 'Ure om ’n aanbod te aanvaar',
  windowMore: 'Van 0,25 (15 minute) tot 168 (’n week). Aanbiedinge duur nooit langer as die verkooptyd nie. Aanbiedinge wat reeds gemaak is, behou hul sperdatum.',

  // wie wag
  entries: 'Mense op die waglys',
  theEntries: 'die inskrywings op die waglys',
  whichEntries: 'Filtreer inskrywings',
  states: { waiting: 'Wag', offered: 'Aangebied', taken: 'Gekoop', lapsed: 'Aanbod verval', left: 'Verlaat' },
  entriesCounted: (n) => counted(n, { one: 'inskrywing', other: 'inskrywings' }),
  nobody: 'Nog niemand nie',
  nobodyIn: 'Niemand hier nie',
  nobodyMore: 'As die geleentheid uitverkoop is, nooi sy bladsy besoekers om by die waglys aan te sluit.',
  email: 'E-posadres',
  party: 'Kaartjies',
  waitsFor: 'Wil hê',
  anySection: 'enige plek',
  wheelchair: 'rolstoelplek',
  joined: 'Aangesluit',
  answerBy: 'Aanbod verval',
};
