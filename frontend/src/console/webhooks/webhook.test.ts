import { describe, expect, it } from 'vitest';
import { filters, health, pretty, type Webhook } from './webhook';

const webhook: Webhook = {
  id: 'w', url: 'https://example.org', description: '', events: ['*'], enabled: true, disabled_because: null, failures: 0,
  failing_since: null, previous_secret_until: null, version: 1, created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z',
};

describe('webhooks', () => {
  it('says how one is', () => {
    expect(health(webhook).text).toBe('Enabled');
    expect(health({ ...webhook, failures: 3 })).toEqual({ kind: 'time', text: '3 failures in a row' });
    expect(health({ ...webhook, enabled: false }).text).toBe('Disabled');
    expect(health({ ...webhook, enabled: false, disabled_because: 'gone' }).kind).toBe('bad');
  });

  it('offers everything, families, and single facts', () => {
    expect(filters({ channels: { 'order.paid': {}, 'event.published': {}, 'event.cancelled': {}, 'Strange!': {} } })).toEqual([
      '*', 'event.*', 'order.*', 'event.cancelled', 'event.published', 'order.paid',
    ]);
    expect(filters({})).toEqual(['*']);
  });

  it('shows JSON for people', () => {
    expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(pretty('oops')).toBe('oops');
  });
});
