// Devices at the gates, and what went wrong there.

import { t } from '../words/doors';

export interface Device {
  id: string;
  name: string;
  gate_ids: string[];
  rights: string[];
  paired_at: string | null;
  revoked_at: string | null;
  last_seen_at: string | null;
  battery: number | null;
  app_version: string | null;
}

export interface Pairing {
  id: string;
  code: string;
  organization: string;
  link: string;
  qr: string;
  expires_at: string;
  device: Device;
}

export interface Incident {
  id: string;
  number: string;
  holder_name: string;
  kind: string;
  first_at: string;
  first_gate: string | null;
  second_at: string;
  second_gate: string | null;
  resolved_at: string | null;
  note: string | null;
}

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
