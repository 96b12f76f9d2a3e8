// The server's clock, as far as a page can know it: set by each response with `server_time_unix_ms`, or by the `Date` header
// of one without. Countdowns use this clock, never the computer's own.

let offset = 0;
let now = $state(Date.now());

export function hear(serverTimeMs: number): void {
  if (Number.isNaN(serverTimeMs)) return; // an answer without a date
  offset = serverTimeMs - Date.now();
  tick();
}

export function serverNow(): number {
  return now;
}

function tick(): void {
  now = Date.now() + offset;
}

if (typeof window !== 'undefined') setInterval(tick, 250);
