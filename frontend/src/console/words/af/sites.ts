import type { sites as en } from '../sites';

export const sites: typeof en = {
  title: 'Verkoop op jou webwerf',
  about: 'Plak hierdie reël in ’n bladsy van jou webwerf om kaartjies daar te verkoop. Vervang die kolletjies met die laaste deel van die geleentheid se webadres, of kopieer die klaar reël van die bladsy van ’n gepubliseerde geleentheid.',
  theSites: 'die toegelate webwerwe',
  allowedSites: 'Toegelate webwerwe',
  allowedSitesMore: 'Een op elke reël, soos https://www.harbour.example of https://*.harbour.example. Hoogstens twintig. As dit leeg is: enige webwerf.',
  savedSome: 'Gestoor. Net hierdie webwerwe kan jou kaartjies verkoop.',
  savedAny: 'Gestoor. Enige webwerf kan jou kaartjies verkoop.',
};
