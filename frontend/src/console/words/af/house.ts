import type { house as en } from '../house';

export const house: typeof en = {
  theSettings: 'die instellings',
  about: 'Hoe die huis verskyn, en wat die mense daarin mag doen.',
  shop: 'Die winkel',

  // die huis
  theHouse: 'Die huis',
  language: 'Taal',
  languageMore: 'Soos en-ZA of af. Blaaie en briewe is in Engels of Afrikaans, tensy iemand die ander een kies.',
  currency: 'Geldeenheid',
  currencyMore: 'Drie letters, soos ZAR. Nuwe kaartjiesoorte begin daarmee.',
  timeZone: 'Tydsone',
  timeZoneMore: 'Verslae tel hul dae daarin, en nuwe lokale begin daarmee.',
  contact: 'Adres vir vrae',
  contactMore: 'Dit staan onderaan elke brief.',

  // die briewe
  letters: 'Briewe',
  sender: 'Naam van die afsender',
  senderMore: 'Die huis se naam as jy dit leeg laat.',
  replyTo: 'Antwoorde gaan na',
  replyToMore: 'Die adres vir vrae as jy dit leeg laat.',
  colour: 'Kleur',
  colourMore: 'Van briewe, en van kaartjies in ’n foon se beursie.',

  // die perke
  limits: 'Perke',
  capacity: 'Plekke van ’n vertoning, hoogstens',
  capacityMore: 'Geen vertoning kan meer kry nie.',
  staffVenues: 'Personeel mag lokale byvoeg en verander',

  undo: 'Maak my veranderings ongedaan',
};
