// The server's clock, as far as a page can know it: every answer that carries `server_time_unix_ms` sets it right, and so
// does the `Date` of one that has nothing finer. What counts down counts against this one, never against the clock of
// somebody's computer.

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
