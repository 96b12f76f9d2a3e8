import type { lifecycle as en } from '../lifecycle';

export const lifecycle: typeof en = {
  // wat met ’n vertoning gedoen kan word
  deeds: {
    publish: {
      name: 'Publiseer',
      title: 'Hierdie vertoning publiseer?',
      done: 'Die vertoning is gepubliseer.',
      told: ['Almal sien dit in die winkel en in die voere.', 'Kaartjies word binne die verkooptyd verkoop.'],
    },
    start: {
      name: 'Maak die deure oop',
      title: 'Die deure nou oopmaak?',
      done: 'Die deure is oop.',
      told: ['Die vertoning is aan, en skanderings by die hekke tel.', 'Vanself gebeur dit wanneer die deure se tyd kom.'],
    },
    end: {
      name: 'Beëindig',
      title: 'Hierdie vertoning beëindig?',
      done: 'Die vertoning is verby.',
      told: ['Verkope en skandering stop dadelik.', 'Dit verlaat die winkel. Dit kan nie teruggeneem word nie.'],
    },
    reschedule: {
      name: 'Gee dit ’n nuwe datum',
      title: '’n Nuwe datum',
      done: 'Die nuwe datum is aangekondig.',
      told: ['Almal met ’n kaartjie kry die nuwe datum per e-pos.', 'Gehoue plekke se tyd loop weer, en die verkope gaan voort tot die nuwe datum.'],
    },
    postpone: {
      name: 'Stel uit',
      title: 'Hierdie vertoning uitstel?',
      done: 'Die vertoning is uitgestel.',
      told: ['Almal met ’n kaartjie word per e-pos ingelig; jou rede bly in die huis.', 'Sonder ’n nuwe datum stop die verkope, en gehoue plekke word opgeskort.', 'Kaartjies bly geldig.'],
    },
    unpublish: {
      name: 'Terug na konsep',
      title: 'Hierdie vertoning terugneem na die konsepte?',
      done: 'Die vertoning is weer ’n konsep.',
      told: ['Dit verlaat die winkel, en die verkope daarvan stop.', 'Geweier sodra ’n kaartjie verkoop is of ’n plek gehou word: dan kan dit net uitgestel of gekanselleer word.'],
    },
    cancel: {
      name: 'Kanselleer die vertoning',
      title: 'Hierdie vertoning vir goed kanselleer?',
      done: 'Die vertoning is gekanselleer. Wat verkoop is, word terugbetaal.',
      told: [
        'Verkope stop dadelik, en gehoue plekke en betalings eindig.',
        'Alle bestellings word ten volle terugbetaal, fooie ingesluit, sonder verdere vrae.',
        'Almal met ’n kaartjie word per e-pos ingelig; jou rede bly in die huis.',
        'Dit kan nie teruggeneem word nie.',
      ],
    },
    archive: {
      name: 'Argiveer',
      title: 'Hierdie vertoning wegsit?',
      done: 'Die vertoning is geargiveer.',
      told: ['Dit verlaat die lyste. Die bestellings en die oudit daarvan bly.', 'Dit kan nie teruggeneem word nie.'],
    },
  },

  // die status daarvan
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
  saleToCome: 'Nog nie te koop nie',
  saleSuspended: 'Verkope opgeskort',
  saleClosed: 'Verkope gesluit',

  // voor dit gepubliseer word
  aPicture: '’n Prent; tot dan word ’n gegenereerde plakkaat gebruik',
  aDate: '’n Datum wat nie verby is nie',
  seatsOrZones: 'Sitplekke, of sones om in te staan',
  aTicketType: 'Ten minste een kaartjiesoort: daarsonder kan niks gekoop word nie',
  aSaleWindow: '’n Verkooptyd wat nie verby is nie',

  // die vorm daarvan
  category: 'Kategorie',
  addressInShop: 'Adres in die winkel',
  start: 'Begin',
  end: 'Einde',
  doors: 'Deure',
  saleBegins: 'Verkope begin',
  saleEnds: 'Verkope eindig',
  dayEndsAt: '’n Dag by die hekke eindig om',
  replacedBy: 'Vervang deur',
  pictures: 'Prente',
};
