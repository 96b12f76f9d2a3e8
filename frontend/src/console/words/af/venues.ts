import type { venues as en } from '../venues';

export const venues: typeof en = {
  // die lys
  title: 'Lokale en hekke',
  about: 'Waar jou vertonings is, en deur watter deure mense inkom.',
  addVenue: 'Voeg ’n lokaal by',
  needsOne: '’n Vertoning het een nodig: die adres, die tydsone, die hekke daarvan.',
  venues: 'Lokale',
  city: 'Stad',
  timeZone: 'Tydsone',
  admits: 'Neem',

  // een lokaal
  theVenue: 'die lokaal',
  layouts: 'Uitlegte',
  thisVenue: 'Die lokaal',
  venueSaved: 'Die lokaal is gestoor. Vertonings wat aangekondig is, hou wat saam met hulle aangekondig is.',
  deleteVenueSure: 'Die lokaal skrap?',
  gatesGo: 'Die hekke gaan saam.',
  showsKeep: 'Vertonings hou die naam, die adres en die tydsone wat aan hulle gegee is.',
  venueDeleted: 'Die lokaal is geskrap.',

  // die hekke daarvan
  addGate: 'Voeg ’n hek by',
  noGate: 'Nog geen hek nie',
  noGateMore: 'Toestelle skandeer by hekke: sonder een kom niemand in nie.',
  gatesOf: (venue) => `Hekke van ${venue}`,
  letsIn: 'Laat in',
  gateStates: { open: 'oop', closed: 'gesluit' },
  openIt: 'Maak oop',
  openGate: (name) => `Maak oop: ${name}`,
  closeGate: (name) => `Maak toe: ${name}`,
  isOpen: (name) => `${name} is oop.`,
  isClosed: (name) => `${name} is gesluit.`,
  changeOne: (name) => `Verander ${name}`,
  changeGate: 'Verander die hek',
  deleteOne: (name) => `Skrap ${name}`,
  deleteSure: (name) => `${name} skrap?`,
  theGate: 'die hek',
  scanNoMore: 'Toestelle wat daarmee gekoppel is, skandeer nie meer daar nie.',
  isDeleted: (name) => `${name} is geskrap.`,

  // ’n lokaal se vorm
  aPlace: '’n Plek',
  online: 'Aanlyn',
  madeOfName: 'Word van die naam gemaak as dit leeg is.',
  country: 'Land',
  orIsoCode: 'Die naam, of die ISO-kode.',
  timesInZone: 'Tye van die vertonings daar staan in hierdie sone.',
  asOnEnvelope: 'Soos op ’n koevert; kaarte vind dit.',
  admitsAtMost: 'Neem hoogstens',
  zeroNoLimit: '0 is geen perk.',
  latitude: 'Breedtegraad',
  longitude: 'Lengtegraad',

  // ’n hek se vorm
  overTheDoor: 'Wat mense bo die deur lees.',
  shortCode: 'Kort, soos GATE_A.',
  open: 'Oop',
  letsInAtMost: 'Laat hoogstens in',
  insideByGate: 'Mense wat deur hierdie hek binne is; leeg is geen perk.',
};
