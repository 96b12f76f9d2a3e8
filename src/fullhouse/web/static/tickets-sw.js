// Keeps the pages of orders and of one's own tickets on the device, so that a code opens at a gate without a connection.
// The network comes first, always: what is kept is shown only when nothing answers. Signing out deletes it (My.svelte).
"use strict";
const NAME = "fullhouse-tickets-1";
const MOST = 80; // entries; the oldest go
const KEPT = [/^\/orders\/[^/]+$/, /^\/my(\/|$)/, /^\/static\//, /^\/built\//, /^\/api\/me$/, /^\/api\/me\/tickets$/, /^\/api\/tickets\/[^/]+$/];

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
  const all = await cache.keys();
  for (const old of all.slice(0, Math.max(0, all.length - MOST))) await cache.delete(old);
}
