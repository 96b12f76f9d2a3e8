// The seating rules.

import { words } from '.';

export const rules = {
  // the rules of all shows, and of one
  title: 'Seating rules',
  about: 'What counts for all shows that say nothing else. The platform sets it; each show may differ where it is not mandatory.',
  theRules: 'the rules',
  aboutShow: 'What counts for this show: its own word, else the organisation’s, else the default. What is bought already stays bought.',
  noLayoutYet: 'The show has no layout yet',
  noLayoutMore: 'These are the organisation’s rules. A show has its own once it has seats.',
  toSeating: 'To its seating',
  undo: 'Undo',
  saveRules: 'Save the rules',
  showSaved: 'The rules of this show are saved. They count from now on.',
  aboutMandatory: 'What is mandatory, no show of theirs may change.',
  setForThem: 'Set for them',
  isMandatory: (rule: string) => `${rule} is mandatory`,
  rulesSaved: 'The rules are saved, and count from now on.',

  // whose word it is
  thisShow: 'This show',
  setForShow: 'Set for this show',
  mandatory: 'Mandatory',
  default: 'Default',
  asInherited: {
    organization: (value: string) => `As the organisation: ${value}`,
    platform: (value: string) => `As the default: ${value}`,
  },
  no: 'No',
  setByPlatform: 'set by the platform; no show may change it',
  saidYes: 'yes',
  saidNo: 'no',
  numberFrom: (low: number | null, high: number | null) => `A number from ${low} to ${high}.`,

  // by group
  mayBeUsed: 'What may be used',
  accessibility: 'Accessibility',
  choosingSeats: 'Choosing seats',
  holds: 'Holds',
  others: 'Others',

  // the rules themselves
  ruleNames: {
    allow_reserved_seating: 'Allow reserved seating',
    allow_ga_seating: 'Allow general admission seating',
    allow_hybrid_ga_reserved: 'Allow hybrid general admission reserved',
    allow_vip_zones: 'Allow VIP zones',
    enforce_accessibility_rules: 'Enforce accessibility rules',
    companion_release_occupancy_threshold: 'Companion release occupancy threshold',
    max_wheelchair_seats_per_booking: 'Max wheelchair seats per booking',
    accessibility_audit_enabled: 'Accessibility audit enabled',
    max_seats_per_booking: 'Max seats per booking',
    orphan_avoidance_strict: 'Orphan avoidance strict',
    group_adjacency_strict: 'Group adjacency strict',
    max_group_split: 'Max group split',
    prefer_clustering_over_selection: 'Prefer clustering over selection',
    default_hold_ttl_minutes: 'Default hold time minutes',
    max_holds_per_user: 'Max holds per user',
    max_holds_per_ip: 'Max holds per network address',
    holds_per_window: 'Holds per window',
  },
  meanings: {} as Record<string, string>, // as the API says them
};

export const t = words('rules', rules);
