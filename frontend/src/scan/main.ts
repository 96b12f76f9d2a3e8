import { mount } from 'svelte';
import '../lib/tokens.css';
import '../lib/base.css';
import './scan.css';
import App from './App.svelte';
import { Scanner } from './scanner.svelte';
import { speech } from './words/speech.svelte';

const scanner = new Scanner(document.body.dataset['version'] ?? '0');
void begin();

async function begin(): Promise<void> {
  await speech.ready;
  mount(App, { target: document.getElementById('scanner')!, props: { scanner } });
  await renew().catch(() => undefined);
  await scanner.start();
}

/** Registers the service worker. A newer version that waits takes over at the start, before anybody is scanned. */
async function renew(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const keeper = await navigator.serviceWorker.register('/scan/sw.js', { scope: '/scan/', updateViaCache: 'none' });
  if (!keeper.waiting || !navigator.serviceWorker.controller) return;
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
  keeper.waiting.postMessage('take over');
}
