// Webhooks and what was sent to them, as the API tells of it.

import type { Webhook } from '../../lib/contract';
import { t } from '../words/webhooks';
export type { Delivery, Webhook } from '../../lib/contract';

export function health(webhook: Webhook): { kind: 'good' | 'time' | 'bad' | 'plain'; text: string } {
  if (!webhook.enabled) {
    if (webhook.disabled_because === 'gone') return { kind: 'bad', text: t.disabledGone };
    return webhook.disabled_because === 'failing' ? { kind: 'bad', text: t.disabledFailing } : { kind: 'plain', text: t.off };
  }
  return webhook.failures ? { kind: 'time', text: t.failures(webhook.failures) } : { kind: 'good', text: t.on };
}

/** Groups and single messages of an AsyncAPI document, for a select: `*`, `event.*`, `event.published`. */
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
