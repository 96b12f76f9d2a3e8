// Webhooks and what was sent to them, as the API tells of it.

import { t } from '../words/webhooks';

export interface Webhook {
  id: string;
  url: string;
  description: string;
  events: string[];
  enabled: boolean;
  disabled_because: 'gone' | 'failing' | null;
  failures: number;
  failing_since: string | null;
  previous_secret_until: string | null;
  version: number;
  secret?: string;
}

export interface Delivery {
  id: string;
  message_id: string;
  type: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  next_try_at: string | null;
  tried_at: string | null;
  request_body: string;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  duration_ms: number | null;
  created_at: string;
}

export function health(webhook: Webhook): { kind: 'good' | 'time' | 'bad' | 'plain'; text: string } {
  if (!webhook.enabled) {
    if (webhook.disabled_because === 'gone') return { kind: 'bad', text: t.saysGone };
    return webhook.disabled_because === 'failing' ? { kind: 'bad', text: t.fails } : { kind: 'plain', text: t.off };
  }
  return webhook.failures ? { kind: 'time', text: t.failures(webhook.failures) } : { kind: 'good', text: t.on };
}

/** Families and single facts of an AsyncAPI document, for a list to choose from: `*`, `event.*`, `event.published`. */
export function filters(document: { channels?: Record<string, unknown> }): string[] {
  const names = Object.keys(document.channels ?? {}).filter((name) => /^[a-z_]+(\.[a-z_]+)+$/.test(name)).sort();
  const families = [...new Set(names.map((name) => `${name.split('.')[0]}.*`))];
  return ['*', ...families, ...names];
}

/** JSON as people read it; what is none stays as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
