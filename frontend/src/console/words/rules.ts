// The seating rules.

import { words } from '.';

export const rules = {
  // the rules of all events, and of one
  title: 'Seating rules',
  about: 'Default rules for all your events. The platform sets them; each event can have its own where a rule is not mandatory.',
  theRules: 'the rules',
  aboutEvent: 'The rules of this event. Where it has none of its own, the organisation’s rules apply, then the defaults. Changes don’t affect tickets already sold.',
  noLayoutYet: 'This event has no layout yet',
  noLayoutMore: 'These are the organisation’s rules. You can set rules for the event once it has a layout.',
  toSeating: 'Go to seating',
  undoChanges: 'Undo changes',
  saveRules: 'Save rules',
  eventRulesSaved: 'Rules saved. They apply from now on.',
  aboutMandatory: 'Events can’t change a mandatory rule.',
  setForThem: 'Set for this organisation',
  isMandatory: (rule: string) => `${rule} is mandatory`,
  rulesSaved: 'Rules saved. They apply from now on.',

  // where a value comes from
  thisEvent: 'This event',
  setForEvent: 'Set for this event',
  mandatory: 'Mandatory',
  default: 'Default',
  asInherited: {
    organization: (value: string) => `Use the organisation’s: ${value}`,
    platform: (value: string) => `Use the default: ${value}`,
  },
  no: 'No',
  setByPlatform: 'set by the platform; events can’t change it',
  yesSmall: 'yes',
  noSmall: 'no',
  numberFrom: (low: number | null, high: number | null) => `Enter a number from ${low} to ${high}.`,

  // groups
  mayBeUsed: 'Allowed zone types',
  accessibility: 'Accessibility',
  choosingSeats: 'Seat selection',
  holds: 'Holds',
  others: 'Other',

  // rules
  ruleNames: {
    allow_reserved_seating: 'Allow numbered seats',
    allow_ga_seating: 'Allow general admission',
    allow_hybrid_ga_reserved: 'Allow numbered seats and general admission in one event',
    allow_vip_zones: 'Allow VIP zones',
    enforce_accessibility_rules: 'Keep companion seats for wheelchair users',
    companion_release_occupancy_threshold: 'Release companion seats when this share is sold (%)',
    max_wheelchair_seats_per_booking: 'Wheelchair spaces per order',
    accessibility_audit_enabled: 'Record wheelchair bookings in the audit log',
    max_seats_per_booking: 'Tickets per order',
    orphan_avoidance_strict: 'Don’t allow single seats to be left',
    group_adjacency_strict: 'Groups must sit together',
    max_group_split: 'Rows between the parts of a split group',
    prefer_clustering_over_selection: 'Best available seats only (no choice on the map)',
    default_hold_ttl_minutes: 'Minutes that seats are held',
    max_holds_per_user: 'Holds per person',
    max_holds_per_ip: 'Holds per IP address',
    holds_per_window: 'New holds per person in five minutes',
  },
  meanings: {} as Record<string, string>, // the API's own explanations are English
};

export const t = words('rules', rules);
