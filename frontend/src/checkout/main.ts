// The checkout, which the shop loads when a buyer is about to need it (store/late.svelte.ts).

export { default as Done } from './Done.svelte';
export { default as Pay } from './Pay.svelte';
