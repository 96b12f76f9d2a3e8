// Times as a form has them (`2030-05-04T19:30`), on the clock that hangs in the venue; the API has moments in UTC.

import { common as t } from './words';

/** The moment as local time in that time zone. */
export function toLocal(moment: string | null, timeZone: string): string {
  return moment === null ? '' : onClock(new Date(moment).getTime(), timeZone).slice(0, 16);
}

/** The moment of a local time in that time zone. If the clock skips it, the moment after the change; empty gives none. */
export function fromLocal(local: string, timeZone: string): string | null {
  if (!local) return null;
  const wanted = Date.parse(`${local.slice(0, 16)}:00Z`);
  if (Number.isNaN(wanted)) return null;
  let guess = wanted;
  for (let n = 0; n < 3; n++) guess += wanted - Date.parse(`${onClock(guess, timeZone)}Z`);
  return new Date(guess).toISOString();
}

/** The first moment after a day (`2030-05-04`) on that clock. */
export function endOfDay(day: string, timeZone: string): string | null {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000);
  return Number.isNaN(next.getTime()) ? null : fromLocal(`${next.toISOString().slice(0, 10)}T00:00`, timeZone);
}

function onClock(ms: number, timeZone: string): string {
  // Swedish is written the way forms want it.
  const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone });
  return format.format(new Date(ms)).replace(' ', 'T');
}

/** What people call the zone: `Africa/Johannesburg` is Johannesburg time. */
export function zoneName(timeZone: string): string {
  return t.zoneTime((timeZone.split('/').pop() ?? timeZone).replaceAll('_', ' '));
}
