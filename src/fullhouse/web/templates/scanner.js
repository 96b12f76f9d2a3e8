// The scanner's service worker: keeps the page and its files, so that it opens without a connection. It keeps no answer of
// the API; what a gate must know offline is in the page's own store, sealed.
const CACHE = 'fullhouse-gate-{{ version }}';
const FILES = {{ files | tojson }};

self.addEventListener('install', (event) => {
  // "reload": past the browser's own cache, where an older page may lie.
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: 'reload' })))));
});

self.addEventListener('activate', (event) => {
  const old = (name) => name.startsWith('fullhouse-gate-') && name !== CACHE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

// The page says when: as it starts, and never while somebody stands at the gate.
self.addEventListener('message', (event) => {
  if (event.data === 'take over') void self.skipWaiting();
});

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== self.location.origin) return;
  const file = event.request.mode === 'navigate' ? '{{ files[0] }}' : url.pathname;
  if (!FILES.includes(file)) return;
  event.respondWith(caches.match(file, { cacheName: CACHE, ignoreVary: true }).then((kept) => kept ?? fetch(event.request)));
});
