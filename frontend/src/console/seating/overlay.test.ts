import { describe, expect, it } from 'vitest';
import type { Zone } from './layouts';
import { formOf, overrideOf, withZone, type Overlay } from './overlay';

const pit: Zone = {
  id: 'p', position: 1, key: 'pit', name: 'Pit', zone_type: 'ga_standing', capacity: 400,
  access_mode: 'public', membership_tier: null, allowed_roles: [], price_category: null,
};
const plain: Overlay = {
  event_id: 'e', layout_id: 'l', layout_version: 1, disabled_zones: ['x'], zone_overrides: { y: { name: 'Other' } }, pricing_zones: { y: 'two' },
  policy: { max_group_split: 1 }, version: 3, zones: [], blocked_seat_ids: ['s'],
};

describe('a show’s overlay', () => {
  it('says only what differs', () => {
    const form = formOf(pit, plain);
    expect(overrideOf(pit, form)).toEqual({});
    expect(withZone(plain, pit, form)).toEqual({
      layout_id: 'l', disabled_zones: ['x'], zone_overrides: { y: { name: 'Other' } }, pricing_zones: { y: 'two' }, policy: { max_group_split: 1 }, blocked_seat_ids: ['s'],
    });
  });

  it('changes one zone and leaves the others', () => {
    const wish = withZone(plain, pit, { ...formOf(pit, plain), capacity: '250', name: ' Front ', price: 'one', open: false });
    expect(wish.zone_overrides).toEqual({ y: { name: 'Other' }, p: { capacity: 250, name: 'Front' } });
    expect(wish.disabled_zones).toEqual(['x', 'p']);
    expect(wish.pricing_zones).toEqual({ y: 'two', p: 'one' });
  });

  it('takes an override back', () => {
    const changed: Overlay = { ...plain, zone_overrides: { p: { capacity: 250 } }, pricing_zones: { p: 'one' }, disabled_zones: ['p'] };
    const form = formOf(pit, changed);
    expect([form.capacity, form.price, form.open]).toEqual(['250', 'one', false]);
    const wish = withZone(changed, pit, { ...form, capacity: '400', price: '', open: true });
    expect([wish.zone_overrides, wish.pricing_zones, wish.disabled_zones]).toEqual([{}, {}, []]);
  });

  it('sends what belongs to the way in, and forgets what belonged to another', () => {
    const form = { ...formOf(pit, plain), access_mode: 'membership_tier', membership_tier: 'friends', allowed_roles: ['staff'] };
    expect(overrideOf(pit, form)).toEqual({ access_mode: 'membership_tier', membership_tier: 'friends' });
    const lounge: Zone = { ...pit, access_mode: 'membership_tier', membership_tier: 'friends' };
    expect(formOf(lounge, { ...plain, zone_overrides: { p: { access_mode: 'whitelist' } } }).membership_tier).toBe('');
  });
});
