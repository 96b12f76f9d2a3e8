// Devices at the gates, and what went wrong there.

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
  if (!moment) return 'never';
  const s = Math.max(0, Math.round((now - Date.parse(moment)) / 1000));
  const [n, unit] = s < 60 ? [s, 'second'] : s < 3600 ? [Math.floor(s / 60), 'minute'] : s < 86_400 ? [Math.floor(s / 3600), 'hour'] : [0, ''];
  return unit ? `${n} ${unit}${n === 1 ? '' : 's'} ago` : 'more than a day ago';
}

export function battery(percent: number | null): { text: string; low: boolean } | null {
  return percent === null ? null : { text: `${percent} %${percent <= 20 ? ', low' : ''}`, low: percent <= 20 };
}
