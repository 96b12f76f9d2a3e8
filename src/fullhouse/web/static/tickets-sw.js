// Caches the pages of orders and of a person's tickets on the device, so that a code opens at a gate without a connection.
// Network first, always: the cache is used only when the network fails. Signing out deletes it (My.svelte).
"use strict";
const NAME = "fullhouse-tickets-1";
const MOST = { ticket: 120, file: 120 }; // tickets and orders' pages; the files that they need. The oldest are evicted.
const KEPT = [/^\/orders\/[^/]+$/, /^\/my(\/|$)/, /^\/static\//, /^\/built\//, /^\/api\/me$/, /^\/api\/me\/tickets$/, /^\/api\/tickets\/[^/]+$/];
// A ticket's page, data and QR code are cached and evicted together: a code without its page is of no use.
const OWN = /^\/(?:my\/tickets|api\/tickets|orders)\/([^/]+?)(?:\.qr\.svg)?$/;

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) if (name.startsWith("fullhouse-tickets-") && name !== NAME) await caches.delete(name);
      await self.clients.claim();
    })(),
  );
});

self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== self.location.origin || !KEPT.some((one) => one.test(pathname))) return;
  if (pathname.endsWith(".pdf") || pathname.endsWith(".ics")) return;
  event.respondWith(answer(event.request, pathname));
});

async function answer(request, pathname) {
  const cache = await caches.open(NAME);
  try {
    const fresh = await fetch(request);
    if (fresh.status === 200) await store(cache, request, fresh.clone());
    return fresh;
  } catch (error) {
    const page = request.mode === "navigate";
    const kept = (await cache.match(request, { ignoreSearch: page, ignoreVary: true })) ?? (page && pathname.startsWith("/my") ? await cache.match("/my", { ignoreSearch: true, ignoreVary: true }) : undefined);
    if (kept) return kept;
    throw error;
  }
}

async function store(cache, request, answer) {
  await cache.put(request, answer);
  const kept = { ticket: new Map(), file: new Map() };
  for (const one of await cache.keys()) {
    const { pathname } = new URL(one.url);
    const ticket = OWN.exec(pathname)?.[1];
    const [of, name] = ticket ? [kept.ticket, ticket] : [kept.file, one.url];
    const parts = of.get(name) ?? [];
    of.delete(name); // and to the end: its age is that of its newest part
    of.set(name, [...parts, one]);
  }
  for (const [kind, of] of Object.entries(kept))
    for (const parts of [...of.values()].slice(0, Math.max(0, of.size - MOST[kind]))) for (const old of parts) await cache.delete(old);
}
