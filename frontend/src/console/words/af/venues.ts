import type { venues as en } from '../venues';

export const venues: typeof en = {
  // die lys
  title: 'Lokale en hekke',
  about: 'Waar jou geleenthede plaasvind, en die hekke waar kaartjies geskandeer word.',
  addVenue: 'Voeg lokaal by',
  needsOne: 'Elke geleentheid het ’n lokaal nodig, vir sy adres, tydsone en hekke.',
  venues: 'Lokale',
  city: 'Stad',
  timeZone: 'Tydsone',
  admits: 'Kapasiteit',

  // een lokaal
  theVenue: 'die lokaal',
  layouts: 'Uitlegte',
  details: 'Lokaal se besonderhede',
  venueSaved: 'Lokaal gestoor. Gepubliseerde geleenthede behou hul naam, adres en tydsone.',
  deleteVenueSure: 'Hierdie lokaal skrap?',
  gatesGo: 'Die hekke word ook geskrap.',
  eventsKeep: 'Geleenthede behou die lokaal se naam, adres en tydsone.',
  venueDeleted: 'Lokaal geskrap.',

  // die hekke daarvan
  addGate: 'Voeg hek by',
  noGate: 'Nog geen hekke nie',
  noGateMore: 'Toestelle skandeer by hekke. Daarsonder kan niemand ingelaat word nie.',
  gatesOf: (venue) => `Hekke van ${venue}`,
  letsIn: 'Kapasiteit',
  gateStates: { open: 'oop', closed: 'gesluit' },
  openIt: 'Maak oop',
  openGate: (name) => `Maak oop: ${name}`,
  closeGate: (name) => `Maak toe: ${name}`,
  isOpen: (name) => `${name} oopgemaak.`,
  isClosed: (name) => `${name} toegemaak.`,
  changeOne: (name) => `Wysig ${name}`,
  changeGate: 'Wysig hek',
  deleteOne: (name) => `Skrap ${name}`,
  deleteSure: (name) => `${name} skrap?`,
  theGate: 'hierdie hek',
  devicesStopScanning: 'Toestelle wat daarmee gekoppel is, kan nie meer daar skandeer nie.',
  isDeleted: (name) => `${name} geskrap.`,

  // ’n lokaal se vorm
  physical: 'Fisiese lokaal',
  online: 'Aanlyn',
  madeOfName: 'As dit leeg is, word dit van die naam gemaak.',
  country: 'Land',
  orIsoCode: 'Naam of ISO-kode.',
  timesInZone: 'Tye van geleenthede hier word in hierdie tydsone gewys.',
  addressMore: 'Die posadres. Kaarte gebruik dit.',
  admitsAtMost: 'Maksimum kapasiteit',
  zeroNoLimit: '0 vir geen perk.',
  latitude: 'Breedtegraad',
  longitude: 'Lengtegraad',

  // ’n hek se vorm
  nameMore: 'Die naam op die bord by die hek.',
  shortCode: 'Kort, soos GATE_A.',
  open: 'Oop',
  letsInAtMost: 'Maksimum kapasiteit',
  insideByGate: 'Hoeveel mense deur hierdie hek binne kan wees. As dit leeg is: geen perk nie.',
};
