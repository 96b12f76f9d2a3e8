import type { sites as en } from '../sites';

export const sites: typeof en = {
  title: 'In ander werwe',
  about: '’n Vertoning se kaartjiekantoor staan oral waar hierdie reël staan. In die plek van die kolletjies noem dit die vertoning, soos die adres daarvan eindig; ’n gepubliseerde vertoning se blad het die reël gereed.',
  theSites: 'die werwe',
  mayShow: 'Werwe wat dit mag wys',
  mayShowMore: 'Een op elke reël, soos https://www.harbour.example of https://*.harbour.example; hoogstens twintig. Met geen een nie, mag enige werf.',
  savedThese: 'Gestoor. Blaaiers wys dit net in hierdie werwe.',
  savedAny: 'Gestoor. Enige werf mag dit wys.',
};
