import { mount } from 'svelte';
import '../lib/tokens.css';
import '../lib/base.css';
import { canSpeak, later } from '../lib/words';
import My from './My.svelte';

const place = document.querySelector<HTMLElement>('[data-my-tickets]')!;
const { house, organization } = place.dataset;
if (canSpeak(place, later)) {
  place.replaceChildren();
  mount(My, { target: place, props: { house: house ?? null, organization: organization ?? null } });
}
