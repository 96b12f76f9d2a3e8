import type { organisation as en } from '../organisation';

export const organisation: typeof en = {
  theSettings: 'die instellings',
  about: 'Jou organisasie se besonderhede, e-posse en perke.',
  shop: 'Jou winkel',

  // besonderhede
  profile: 'Organisasie se besonderhede',
  language: 'Taal',
  languageMore: 'Soos en-ZA of af. Bladsye en e-posse is in Engels of Afrikaans, tensy die leser die ander een kies.',
  currency: 'Geldeenheid',
  currencyMore: '’n Kode van drie letters, soos ZAR. Die verstek vir nuwe kaartjiesoorte.',
  timeZone: 'Tydsone',
  timeZoneMore: 'Word vir dae in verslae gebruik, en is die verstek vir nuwe lokale.',
  contact: 'Kontak-e-pos',
  contactMore: 'Staan onderaan elke e-pos.',

  // e-posse
  emails: 'E-posse',
  sender: 'Naam van die afsender',
  senderMore: 'As dit leeg is: die organisasie se naam.',
  replyTo: 'Antwoordadres',
  replyToMore: 'As dit leeg is: die kontak-e-pos.',
  colour: 'Kleur',
  colourMore: 'Word in e-posse gebruik, en vir kaartjies in ’n foon se beursie.',

  // die perke
  limits: 'Perke',
  maxCapacity: 'Hoogste kapasiteit van ’n geleentheid',
  maxCapacityMore: 'Geen geleentheid kan ’n hoër kapasiteit hê nie.',
  staffVenues: 'Personeel kan lokale byvoeg en wysig',

  undoChanges: 'Maak veranderinge ongedaan',
};
