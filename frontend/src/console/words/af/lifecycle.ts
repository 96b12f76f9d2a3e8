import type { lifecycle as en } from '../lifecycle';

export const lifecycle: typeof en = {
  // aksies
  actions: {
    publish: {
      name: 'Publiseer',
      title: 'Hierdie geleentheid publiseer?',
      done: 'Geleentheid gepubliseer.',
      told: ['Dit verskyn in die winkel en in die voere.', 'Kaartjies kan in die verkooptyd gekoop word.'],
    },
    start: {
      name: 'Maak deure oop',
      title: 'Die deure nou oopmaak?',
      done: 'Die deure is oop.',
      told: ['Die geleentheid is aan, en skanderings by die hekke tel.', 'Andersins begin dit vanself op die tyd dat die deure oopgaan.'],
    },
    end: {
      name: 'Beëindig geleentheid',
      title: 'Hierdie geleentheid beëindig?',
      done: 'Die geleentheid is verby.',
      told: ['Verkope en skandering stop dadelik.', 'Die geleentheid word uit die winkel verwyder. Dit kan nie ongedaan gemaak word nie.'],
    },
    reschedule: {
      name: 'Stel nuwe datum',
      title: 'Stel ’n nuwe datum',
      done: 'Nuwe datum aangekondig.',
      told: ['Alle kaartjiehouers kry ’n e-pos met die nuwe datum.', 'Gehoue sitplekke se tyd loop weer, en verkope bly oop tot die nuwe datum.'],
    },
    postpone: {
      name: 'Stel uit',
      title: 'Hierdie geleentheid uitstel?',
      done: 'Geleentheid uitgestel.',
      told: ['Alle kaartjiehouers kry ’n e-pos. Jou rede staan nie daarin nie.', 'Sonder ’n nuwe datum stop verkope, en gehoue sitplekke se tyd staan stil.', 'Kaartjies bly geldig.'],
    },
    unpublish: {
      name: 'Trek terug',
      title: 'Hierdie geleentheid terugtrek?',
      done: 'Die geleentheid is weer ’n konsep.',
      told: ['Dit word uit die winkel verwyder, en verkope stop.', 'Dit kan net terwyl niks verkoop of gehou is nie. Daarna kan jy die geleentheid uitstel of kanselleer.'],
    },
    cancel: {
      name: 'Kanselleer geleentheid',
      title: 'Hierdie geleentheid permanent kanselleer?',
      done: 'Geleentheid gekanselleer. Alle bestellings word terugbetaal.',
      told: [
        'Verkope stop dadelik; gehoue sitplekke en betalings eindig.',
        'Alle bestellings word outomaties en ten volle terugbetaal, fooie ingesluit.',
        'Alle kaartjiehouers kry ’n e-pos. Jou rede staan nie daarin nie.',
        'Dit kan nie ongedaan gemaak word nie.',
      ],
    },
    archive: {
      name: 'Argiveer',
      title: 'Hierdie geleentheid argiveer?',
      done: 'Geleentheid geargiveer.',
      told: ['Dit word uit die lyste verwyder. Sy bestellings en sy ouditlog word behou.', 'Dit kan nie ongedaan gemaak word nie.'],
    },
  },

  // status
  states: {
    draft: { name: 'Konsep', many: 'Konsepte' },
    published: { name: 'Gepubliseer', many: 'Gepubliseer' },
    live: { name: 'Nou aan', many: 'Nou aan' },
    postponed: { name: 'Uitgestel', many: 'Uitgestel' },
    ended: { name: 'Verby', many: 'Verby' },
    cancelled: { name: 'Gekanselleer', many: 'Gekanselleer' },
    archived: { name: 'Geargiveer', many: 'Geargiveer' },
  },
  onSale: 'Te koop',
  notOnSaleYet: 'Nog nie te koop nie',
  salesPaused: 'Verkope onderbreek',
  salesEnded: 'Verkope verby',

  // voor dit gepubliseer word
  aPicture: '’n Prent. Daarsonder word ’n gegenereerde plakkaat gewys',
  aDate: '’n Einddatum in die toekoms',
  seatsOrZones: '’n Uitleg met sitplekke of sones',
  aTicketType: 'Ten minste een kaartjiesoort. Daarsonder kan niks gekoop word nie',
  aSaleWindow: '’n Verkooptyd wat nie verby is nie',

  // vorm
  category: 'Kategorie',
  addressInShop: 'Webadres',
  start: 'Begin',
  end: 'Einde',
  doors: 'Deure oop',
  salesStart: 'Verkope begin',
  salesEnd: 'Verkope eindig',
  dayEndsAt: 'Dag eindig om (vir skandering)',
  replacedBy: 'Vervang deur',
  pictures: 'Prente',
};
