import { mount } from 'svelte';
import '../lib/tokens.css';
import '../lib/base.css';
import { canSpeak } from '../lib/words';
import { Booking } from './booking.svelte';
import BoxOffice from './BoxOffice.svelte';

const SOON_MS = 300;

// The server rendered the page, which can be read without scripts. This adds the interactive part.
for (const place of document.querySelectorAll<HTMLElement>('[data-box-office]')) {
  const { event = '', organization = '', house = '', layout = '', title = '', path = '', embedded, checkout = '', seats, chairs } = place.dataset;
  if (!canSpeak(place)) continue;
  const most = { seats: Number(seats), chairs: Number(chairs) };
  const booking = new Booking({ eventId: event, organization, house, layout, path, embedded: embedded !== undefined, scripts: checkout.split(' '), most });
  void booking.open();
  // What the page's head has asked for is mostly here already: then all of it is put on the page at once, and laid out once.
  const soon = new Promise((go) => setTimeout(go, SOON_MS));
  void Promise.race([booking.loaded, soon]).then(() => {
    place.replaceChildren();
    mount(BoxOffice, { target: place, props: { booking, title } });
  });
}
