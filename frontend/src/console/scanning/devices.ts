// Devices at the gates, and what went wrong there.

import { t } from '../words/doors';
export type { Device, Incident, NewPairing as Pairing } from '../../lib/contract';

/** Eight characters, four and four: people read them aloud. */
export function spelled(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** `12 seconds ago`, `3 minutes ago`; after a day, that it was long ago. */
export function seen(moment: string | null, now: number): string {
  if (!moment) return t.never;
  const s = Math.max(0, Math.round((now - Date.parse(moment)) / 1000));
  if (s < 60) return t.secondsAgo(s);
  if (s < 3600) return t.minutesAgo(Math.floor(s / 60));
  return s < 86_400 ? t.hoursAgo(Math.floor(s / 3600)) : t.dayAgo;
}

export function battery(percent: number | null): { text: string; low: boolean } | null {
  return percent === null ? null : { text: percent <= 20 ? t.batteryLow(percent) : `${percent}%`, low: percent <= 20 };
}
