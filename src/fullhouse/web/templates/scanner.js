// The scanner's service worker: caches the page and its files, so that it opens without a connection. It caches no API
// response; what a gate must know offline is in the page's own store, encrypted.
const CACHE = 'fullhouse-gate-{{ version }}';
const FILES = {{ files | tojson }};

self.addEventListener('install', (event) => {
  // "reload": bypasses the browser's HTTP cache, which may have an older page.
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

// The page asks for it when it starts, never while a ticket is being scanned.
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
