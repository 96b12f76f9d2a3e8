// What only those need who go to the checkout: the shop loads it when they are about to (store/late.svelte.ts).

export { default as Done } from './Done.svelte';
export { default as Pay } from './Pay.svelte';
