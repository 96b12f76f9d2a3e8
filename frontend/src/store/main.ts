import { mount } from 'svelte';
import '../lib/tokens.css';
import '../lib/base.css';
import { canSpeak } from '../lib/words';
import BoxOffice from './BoxOffice.svelte';

// The page is there without us: whoever has no script reads it. We add what moves.
for (const place of document.querySelectorAll<HTMLElement>('[data-box-office]')) {
  const { event = '', organization = '', house = '', layout = '', title = '', path = '', embedded } = place.dataset;
  if (!canSpeak(place)) continue;
  place.replaceChildren();
  mount(BoxOffice, { target: place, props: { place: { eventId: event, organization, house, layout, path, embedded: embedded !== undefined }, title } });
}
