// What the API takes and gives. Made of openapi.json by `make contract`, never by hand.

export interface AcceptInvitation {
  token: string;
  name: string;
  password: string;
}

export interface AddGuests {
  guests: NewGuest[];
}

export interface AddressParts {
  street?: string | null;
  postal_code?: string | null;
  region?: string | null;
}

export interface AnswerMove {
  accept: boolean;
}

export interface ApiKey {
  id: string;
  name: string;
  scopes: string[];
  hint: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}

export interface Arena {
  name?: string;
  tiers?: number;
  rows_per_tier?: number;
  first_tier_sections?: number;
  sections_added?: number;
  floor?: number;
  stage?: 'centre' | 'end';
  floor_width?: number;
  floor_height?: number;
  row_labels?: 'letters' | 'letters_without_i_o' | 'numbers';
  numbering?: 'left_to_right' | 'right_to_left' | 'odd_even';
  /** From one seat to the next, in the plan's units. */
  seat_pitch?: number;
  /** From one seat to the next, in the plan's units. */
  row_pitch?: number;
  kind: 'arena';
}

export interface AttachLayout {
  layout_id: string;
  disabled_zones?: string[];
  zone_overrides?: Record<string, ZoneOverride>;
  pricing_zones?: Record<string, string>;
  blocked_seat_ids?: string[];
  policy?: Record<string, boolean | number | null>;
}

export interface AttachmentRef {
  kind: string;
  id: string;
}

export interface Attendee {
  name: string;
  email?: string | null;
}

export interface AuditEntry {
  id: string;
  created_at: string;
  actor_type: string;
  actor_id: string | null;
  actor_name: string | null;
  action: string;
  entity_type: string;
  entity_id: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  reason: string | null;
  approval_reference: string | null;
  ip: string | null;
  user_agent: string | null;
  request_id: string | null;
}

export interface Balance {
  currency: string;
  organizer: number;
  fees: number;
  tax: number;
  owed_to_buyers: number;
  at_providers: Record<string, number>;
}

export interface Basket {
  basket_id: string;
  event_id: string;
  items: BasketItem[];
  held_until: string | null;
  held_until_unix_ms: number | null;
  server_time_unix_ms: number;
  expires_in_seconds: number | null;
  explanation: string | null;
}

export interface BasketItem {
  hold_id: string;
  seat_id: string | null;
  zone_id: string | null;
  ticket_type_id: string | null;
  quantity: number;
  row: string | null;
  seat_number: string | null;
  block_name: string | null;
  companions: CompanionSeat[];
}

export interface Batch {
  device_now: string;
  scans: OfflineScan[];
  former?: FormerPairing[];
  battery?: number | null;
  app_version?: string | null;
}

export interface BestAvailable {
  quantity: number;
  zone_ids?: string[] | null;
  price_category?: string | null;
  accessible?: number;
  /** Accept seats further apart than `max_group_split`, in different sections if need be. */
  allow_split?: boolean;
  /** Language of the explanation. */
  language?: 'en' | 'af';
}

export interface Buyer {
  name: string;
  email: string;
}

export interface Cancel {
  reason: string;
}

export interface CancelTicket {
  reason: string;
}

export interface ChangeEvent {
  venue_id?: string;
  name?: string;
  description?: string;
  category?: string;
  start_at?: string;
  end_at?: string;
  slug?: string;
  doors_at?: string;
  sale_start_at?: string;
  sale_end_at?: string;
  capacity?: number;
  settings?: Record<string, unknown>;
  /** Uploaded pictures; the first is the poster. */
  cover_image_ids?: string[];
  replaced_by_event_id?: string | null;
  reason?: string | null;
  /** Who agreed to it, and how. */
  consent_note?: string | null;
  drop_layout?: boolean;
}

export interface ChangeGate {
  gate_code?: string;
  name?: string;
  status?: 'open' | 'closed';
  capacity?: number | null;
  settings?: Record<string, unknown>;
}

export interface ChangeMe {
  name?: string;
}

export interface ChangeMember {
  role?: 'owner' | 'admin' | 'staff' | 'scanner';
  status?: 'active' | 'disabled';
}

export interface ChangeMembership {
  tier?: string;
  status?: 'active' | 'suspended' | 'revoked';
  valid_from?: string;
  valid_until?: string | null;
}

export interface ChangeOrganization {
  name?: string;
  /** ISO 4217, e.g. EUR */
  currency?: string;
  locale?: string;
  timezone?: string;
  contact_email?: string | null;
  accent_color?: string;
  mail_sender_name?: string | null;
  mail_reply_to?: string | null;
  staff_may_edit_venues?: boolean;
  event_capacity_max?: number;
  /** Minor units of the organisation's currency. */
  ticket_price_max?: number | null;
  embed_origins?: string[];
}

export interface ChangeOrganizationStatus {
  status: 'active' | 'suspended';
  reason: string;
}

export interface ChangePassword {
  new_password: string;
  current_password?: string | null;
}

export interface ChangePromoCode {
  /** The ticket types that it applies to; empty means all. */
  ticket_type_ids?: string[];
  max_uses?: number | null;
  /** The highest total discount, in minor units. */
  budget?: number | null;
  valid_from?: string | null;
  valid_until?: string | null;
  active?: boolean;
}

export interface ChangePublicEvent {
  title?: string;
  description?: string;
  category?: string;
  start_time?: string;
  end_time?: string;
  capacity?: number;
  /** Uploaded pictures; the first is the poster. */
  cover_image_ids?: string[];
  city?: string;
  venue_id?: string;
  reason?: string | null;
  /** Who agreed to it, and how. */
  consent_note?: string | null;
}

export interface ChangeTicketType {
  name?: string;
  /** Minor units. */
  price?: number;
  /** ISO 4217, e.g. EUR */
  currency?: string;
  kind?: 'seated' | 'ga';
  tier?: 'general' | 'vip' | 'early_bird' | 'custom';
  description?: string;
  /** Prices by price category of the layout, where they differ from `price`. */
  prices?: Record<string, number>;
  /** The keys of the zones that it sells; empty means all. */
  zones?: string[];
  quantity?: number | null;
  sale_start_at?: string | null;
  sale_end_at?: string | null;
  entitlement?: 'single' | 'limited_reentry_per_day' | 'unlimited_multi_day' | 'ga_seated' | 'ga_standing';
  /** Local dates; empty means every day of the event. */
  valid_days?: string[];
  max_daily_entries?: number | null;
  max_per_order?: number | null;
  hidden?: boolean;
  /** Sort position of the type. */
  position?: number;
}

export interface ChangeVenue {
  name?: string;
  city?: string;
  /** ISO code or name. */
  country?: string;
  timezone?: string;
  kind?: 'physical' | 'virtual';
  slug?: string;
  /** Postal address, as used on an envelope. */
  address?: string | null;
  address_parts?: AddressParts;
  latitude?: number | null;
  longitude?: number | null;
  max_capacity?: number;
  settings?: Record<string, unknown>;
}

export interface ChangeWebhook {
  url?: string;
  events?: string[];
  description?: string;
  enabled?: boolean;
}

export interface Charge {
  name: string;
  kind: 'fee' | 'tax';
  /** Hundredths of a percent. */
  basis_points?: number;
  /** Minor units. */
  amount?: number;
  per?: 'ticket' | 'order';
  included?: boolean;
}

export interface ChargeList {
  source: 'event' | 'organization';
  charges: Charge[];
  version: number;
}

export interface CheckoutCounts {
  started: number;
  bought: number;
  left: number;
  expired: number;
  stopped: number;
  open: number;
}

export interface CitySuggestion {
  city: string;
  country: string;
  events: number;
}

export interface CompanionSeat {
  companion_of: string;
  seat_id: string;
  seat_key: string;
  zone_id: string;
  block_name: string;
  row: string;
  seat_number: string;
  price_category: string | null;
}

export interface Consent {
  accept: boolean;
}

export interface Counts {
  waiting: number;
  people_waiting: number;
  offered: number;
  taken: number;
  lapsed: number;
  left: number;
}

export interface CreateApiKey {
  name: string;
  scopes: string[];
  expires_at?: string | null;
}

export interface CreateOrganization {
  slug: string;
  name: string;
  owner_email: string;
}

export interface Curved {
  name?: string;
  rows?: number;
  first_row_seats?: number;
  seats_added?: number;
  /** From the focal point to the first row. */
  distance?: number;
  aisles?: number;
  numbering?: 'left_to_right' | 'right_to_left' | 'odd_even';
  row_labels?: 'letters' | 'letters_without_i_o' | 'numbers';
  wheelchair_places?: number;
  /** From one seat to the next, in the plan's units. */
  seat_pitch?: number;
  /** From one seat to the next, in the plan's units. */
  row_pitch?: number;
  kind: 'curved';
}

export interface Delivery {
  id: string;
  webhook_id: string;
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

export interface Device {
  id: string;
  event_id: string;
  name: string;
  gate_ids: string[];
  rights: string[];
  paired_at: string | null;
  revoked_at: string | null;
  last_seen_at: string | null;
  battery: number | null;
  app_version: string | null;
  clock_offset_s: number | null;
  created_at: string;
}

export interface Draw {
  event_id: string;
  state: 'closed' | 'pre' | 'open' | 'paused' | 'draining';
  opens_at: string | null;
  seed_hash: string;
  seed: string | null;
  tickets: number | null;
  rule: string;
}

export interface Duplicate {
  start_at: string;
  name?: string | null;
}

export interface EmailTemplate {
  name: string;
  description: string;
}

export interface Entries {
  event_id: string;
  day: string;
  points: EntriesPoint[];
  pace: GatePace[];
}

export interface EntriesPoint {
  at: string;
  entered: number;
  left: number;
  inside: number;
}

export interface EventLayoutView {
  event_id: string;
  layout_id: string;
  disabled_zones: string[];
  zone_overrides: Record<string, ZoneOverride>;
  pricing_zones: Record<string, string>;
  policy: Record<string, boolean | number | null>;
  version: number;
  layout_version: number;
  zones: EventZone[];
  blocked_seat_ids: string[];
}

export interface EventMeasures {
  event_id: string;
  name: string;
  start_at: string;
  rescheduled_at: string | null;
  timezone: string;
  full: number;
  measures: Measure[];
}

export interface EventRefunds {
  event_id: string;
  batch: RefundBatch | null;
  amounts: RefundedAmounts[];
  failures: RefundFailure[];
  refused: RefusedRefund[];
}

export interface EventReport {
  event_id: string;
  name: string;
  status: Status;
  start_at: string;
  rescheduled_at: string | null;
  timezone: string;
  capacity: number;
  reason: string | null;
  holds: HoldCounts;
  checkouts: CheckoutCounts;
  rates: Rates;
  released_by_house: number;
  seconds_to_sale: number | null;
  days: ReportDay[];
}

export interface EventReportSummary {
  event_id: string;
  name: string;
  status: Status;
  start_at: string;
  rescheduled_at: string | null;
  timezone: string;
  capacity: number;
  reason: string | null;
  holds: HoldCounts;
  checkouts: CheckoutCounts;
  rates: Rates;
}

export interface EventSales {
  event_id: string;
  name: string;
  status: Status;
  start_at: string;
  rescheduled_at: string | null;
  timezone: string;
  capacity: number;
  sold: number;
  places: number | null;
  orders: number;
  currency: string | null;
  amount: number;
  refunded: number;
}

export interface EventSummary {
  id: string;
  org_id: string;
  name: string;
  slug: string;
  status: Status;
  start_at: string;
  end_at: string;
  sale_start_at: string;
  sale_end_at: string;
  rescheduled_at: string | null;
  venue_id: string | null;
  timezone: string;
  capacity: number;
  replaced_by_event_id: string | null;
}

export interface EventView {
  id: string;
  venue_id: string | null;
  slug: string;
  name: string;
  description: string;
  category: string;
  status: Status;
  start_at: string;
  end_at: string;
  doors_at: string;
  sale_start_at: string;
  sale_end_at: string;
  rescheduled_at: string | null;
  capacity: number;
  settings: Record<string, unknown>;
  venue_name: string;
  city: string;
  country: string;
  address: string | null;
  timezone: string;
  cover_image_ids: string[];
  recurrence_group_id: string | null;
  replaced_by_event_id: string | null;
  postponement_reason: string | null;
  cancellation_reason: string | null;
  created_by: string | null;
  version: number;
  published_at: string | null;
  cancelled_at: string | null;
  created_at: string;
  updated_at: string;
  sale_status: string;
  sold: number;
  places: number | null;
  can_sell: boolean;
  scanning: string;
  visible: boolean;
  moves: Move[];
  start_at_unix_ms: number;
  server_time_unix_ms: number;
  active_participants: number | null;
}

export interface EventZone {
  id: string;
  position: number;
  key: string;
  name: string;
  zone_type: string;
  capacity: number;
  access_mode: string;
  membership_tier: string | null;
  allowed_roles: string[];
  price_category: string | null;
  priced_as: string | null;
  companions_released: boolean;
  held: number;
  sold: number;
}

export interface Expiries {
  hours: HourOfEndings[];
  usual_max: number;
  spike: boolean;
}

export interface Festival {
  name?: string;
  orchestra_rows?: number;
  orchestra_seats?: number;
  floor?: number;
  pit?: number;
  lounge_tables?: number;
  seats_per_table?: number;
  membership_tier?: string;
  kind: 'festival';
}

export interface Figures {
  waiting: number;
  admitted: number;
  admitted_per_minute: number | null;
  joined_in_all: number;
  expired_in_all: number;
  left_in_all: number;
  bought_in_all: number;
}

export interface FindOrders {
  /** Part of a name or email, or a whole order code. */
  q?: string | null;
  event_id?: string | null;
  status?: 'pending' | 'paid' | 'needs_consent' | 'cancelled' | 'partly_refunded' | 'refunded' | null;
}

export interface FindTickets {
  /** A name, an order, a ticket's code or number. */
  q: string;
  event_id?: string | null;
}

export interface FormerPairing {
  device_id: string;
  proof: string;
}

export interface FoundOrder {
  id: string;
  event_id: string;
  code: string;
  status: string;
  provider: string;
  total: Money;
  buyer_name: string;
  buyer_email: string;
  created_at: string;
  paid_at: string | null;
  event_name: string;
  tickets: number;
  refunded: number;
}

export interface Gate {
  id: string;
  venue_id: string;
  gate_code: string;
  name: string;
  status: 'open' | 'closed';
  capacity: number | null;
  settings: Record<string, unknown>;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface GateInfo {
  id: string;
  gate_code: string;
  name: string;
  status: string;
  capacity: number | null;
}

export interface GatePace {
  gate_id: string;
  entered: number;
}

export interface GrantMembership {
  email: string;
  name: string;
  tier: string;
  number: string;
  valid_from?: string | null;
  valid_until?: string | null;
}

export interface Guest {
  email: string;
  name: string;
  created_at: string;
}

export interface Health {
  status: string;
  checks: Record<string, string>;
}

export interface Hit {
  ticket_id: string;
  number: string;
  code: string;
  status: string;
  holder_name: string;
  order_code: string;
  type_name: string;
  zone_name: string | null;
  section: string | null;
  row: string | null;
  seat: string | null;
  inside: boolean;
  entries: number;
  last_at: string | null;
}

export interface Hold {
  id: string;
  event_id: string;
  basket_id: string;
  seat_id: string | null;
  zone_id: string | null;
  ticket_type_id: string | null;
  quantity: number;
  status: string;
  held_until: string | null;
  held_until_unix_ms: number | null;
  source: string;
  created_at: string;
  companions: CompanionSeat[];
}

export interface HoldCounts {
  placed: number;
  in_checkout: number;
  sold: number;
  expired: number;
  released: number;
  live: number;
  places: number;
  places_sold: number;
}

export interface HoldItems {
  items?: holds_model_Item[];
  best_available?: BestAvailable | null;
  source?: 'web' | 'scanner';
  /** Unlocks hidden ticket types. */
  promo_code?: string | null;
}

export interface HourOfEndings {
  hour: string;
  converted: number;
  expired: number;
  cancelled: number;
}

export interface Image {
  id: string;
  width: number;
  height: number;
  urls: Record<string, string>;
}

export interface Imported {
  id: string;
  venue_id: string | null;
  family_id: string;
  version: number;
  name: string;
  description: string;
  status: 'draft' | 'active' | 'archived';
  total_capacity: number;
  seat_count: number;
  created_by: string | null;
  created_at: string;
  updated_at: string;
  zones: Zone[];
  notes: string[];
}

export interface Incident {
  id: string;
  event_id: string;
  ticket_id: string;
  number: string;
  holder_name: string;
  kind: string;
  first_scan_id: string | null;
  first_at: string;
  first_gate: string | null;
  second_scan_id: string;
  second_at: string;
  second_gate: string | null;
  created_at: string;
  resolved_at: string | null;
  resolved_by: string | null;
  note: string | null;
}

export interface Invitation {
  id: string;
  email: string;
  role: string;
  created_at: string;
  expires_at: string;
}

export interface Invite {
  email: string;
  role: 'owner' | 'admin' | 'staff' | 'scanner';
}

export interface JoinQueue {
  /** Unlocks hidden ticket types. */
  promo_code?: string | null;
}

export interface JoinWaitlist {
  /** Number of people. Seats are only offered side by side. */
  party?: number;
  zone_id?: string | null;
  ticket_type_id?: string | null;
  accessible?: boolean;
  email?: string | null;
}

export interface Layout {
  id: string;
  venue_id: string | null;
  family_id: string;
  version: number;
  name: string;
  description: string;
  status: 'draft' | 'active' | 'archived';
  total_capacity: number;
  seat_count: number;
  created_by: string | null;
  created_at: string;
  updated_at: string;
}

export interface LayoutMigration {
  id: string;
  event_id: string;
  from_layout_id: string;
  to_layout_id: string;
  status: 'planned' | 'applied' | 'discarded';
  respond_by: string;
  planned_by: string | null;
  approved_by: string | null;
  created_at: string;
  applied_at: string | null;
}

export interface LayoutMigrationView {
  id: string;
  event_id: string;
  from_layout_id: string;
  to_layout_id: string;
  status: 'planned' | 'applied' | 'discarded';
  respond_by: string;
  planned_by: string | null;
  approved_by: string | null;
  created_at: string;
  applied_at: string | null;
  same: number;
  moved: number;
  unplaced: number;
  moves: SeatMove[];
}

export interface LayoutView {
  id: string;
  venue_id: string | null;
  family_id: string;
  version: number;
  name: string;
  description: string;
  status: 'draft' | 'active' | 'archived';
  total_capacity: number;
  seat_count: number;
  created_by: string | null;
  created_at: string;
  updated_at: string;
  zones: Zone[];
}

export interface LedgerEntry {
  account: string;
  amount: Money;
}

export interface LedgerTransaction {
  id: string;
  kind: string;
  source_id: string;
  order_id: string;
  order_code: string | null;
  event_id: string;
  created_at: string;
  entries: LedgerEntry[];
}

export interface LiveGates {
  event_id: string;
  day: string;
  inside: number;
  entered: number;
  rejected: number;
  incidents: number;
  gates: scanning_live_model_Occupancy[];
  zones: scanning_live_model_Occupancy[];
}

export interface Mail {
  id: string;
  recipient: string;
  subject: string;
  template: string | null;
  body: string | null;
  status: 'waiting' | 'delayed' | 'sent' | 'refused';
  attempts: number;
  created_at: string;
  sent_at: string | null;
  last_error: string | null;
}

export interface MailInFull {
  id: string;
  recipient: string;
  subject: string;
  template: string | null;
  body: string | null;
  status: 'waiting' | 'delayed' | 'sent' | 'refused';
  attempts: number;
  created_at: string;
  sent_at: string | null;
  last_error: string | null;
  html: string | null;
  sender_name: string | null;
  reply_to: string | null;
  enclosures: AttachmentRef[];
}

export interface Me {
  id: string;
  type: string;
  name: string | null;
  email: string | null;
  role: string;
  organization: Organization;
  actions: string[];
}

export interface Measure {
  name: string;
  value: number | null;
  state: 'good' | 'watch' | 'alert' | 'unknown';
  low: number;
  high: number;
  target_low: number;
  target_high: number;
  why: string | null;
}

export interface Measures {
  shows: EventMeasures[];
  more_shows: number;
  house: Measure[];
  expiries: Expiries;
}

export interface Membership {
  id: string;
  user_id: string;
  email: string | null;
  name: string;
  tier: string;
  number: string;
  status: 'active' | 'suspended' | 'revoked';
  valid_from: string;
  valid_until: string | null;
  created_at: string;
}

export interface MergeResult {
  taken: number;
  known: number;
  unknown_tickets: number;
  incidents: number;
  clock_offset_s: number;
}

export interface Money {
  amount: number;
  /** ISO 4217, e.g. EUR */
  currency: string;
}

export type Move = 'publish' | 'unpublish' | 'start' | 'end' | 'postpone' | 'reschedule' | 'cancel' | 'archive';

export interface Moved {
  seat: string;
  was: Point;
  now: Point;
}

export interface NewApiKey {
  id: string;
  name: string;
  scopes: string[];
  hint: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  token: string;
}

export interface NewDevice {
  event_id: string;
  name: string;
  gate_ids: string[];
  rights?: ('scan' | 'search' | 'override')[];
}

export interface NewEvent {
  venue_id: string;
  name: string;
  description: string;
  category: string;
  start_at: string;
  end_at: string;
  slug?: string | null;
  doors_at?: string | null;
  sale_start_at?: string | null;
  sale_end_at?: string | null;
  capacity?: number;
  settings?: Record<string, unknown>;
  /** Uploaded pictures; the first is the poster. */
  cover_image_ids?: string[];
}

export interface NewGate {
  gate_code: string;
  name: string;
  status?: 'open' | 'closed';
  capacity?: number | null;
  settings?: Record<string, unknown>;
}

export interface NewGuest {
  email: string;
  name?: string;
}

export interface NewPairing {
  id: string;
  code: string;
  organization: string;
  link: string;
  qr: string;
  expires_at: string;
  device: Device;
}

export interface NewPromoCode {
  code: string;
  kind: 'percent' | 'fixed' | 'access';
  /** Hundredths of a percent. */
  basis_points?: number | null;
  amount?: number | null;
  /** The ticket types that it applies to; empty means all. */
  ticket_type_ids?: string[];
  max_uses?: number | null;
  /** The highest total discount, in minor units. */
  budget?: number | null;
  valid_from?: string | null;
  valid_until?: string | null;
  active?: boolean;
}

export interface NewPublicEvent {
  title: string;
  description: string;
  category: string;
  start_time: string;
  end_time: string;
  city?: string | null;
  venue_id?: string | null;
  capacity?: number;
  /** Uploaded pictures; the first is the poster. */
  cover_image_ids?: string[];
}

export interface NewTicketType {
  name: string;
  /** Minor units. */
  price: number;
  /** ISO 4217, e.g. EUR */
  currency: string;
  kind: 'seated' | 'ga';
  tier?: 'general' | 'vip' | 'early_bird' | 'custom';
  description?: string;
  /** Prices by price category of the layout, where they differ from `price`. */
  prices?: Record<string, number>;
  /** The keys of the zones that it sells; empty means all. */
  zones?: string[];
  quantity?: number | null;
  sale_start_at?: string | null;
  sale_end_at?: string | null;
  entitlement?: 'single' | 'limited_reentry_per_day' | 'unlimited_multi_day' | 'ga_seated' | 'ga_standing';
  /** Local dates; empty means every day of the event. */
  valid_days?: string[];
  max_daily_entries?: number | null;
  max_per_order?: number | null;
  hidden?: boolean;
  /** Sort position of the type. */
  position?: number;
}

export interface NewVenue {
  name: string;
  city: string;
  /** ISO code or name. */
  country: string;
  timezone: string;
  kind?: 'physical' | 'virtual';
  slug?: string | null;
  /** Postal address, as used on an envelope. */
  address?: string | null;
  address_parts?: AddressParts;
  latitude?: number | null;
  longitude?: number | null;
  max_capacity?: number;
  settings?: Record<string, unknown>;
}

export interface NewWebhook {
  url: string;
  events: string[];
  description?: string;
  enabled?: boolean;
}

export interface NoticeProgress {
  id: string;
  template: string;
  total: number;
  posted: number;
  sent: number;
  refused: number;
  created_at: string;
  finished_at: string | null;
}

export interface Offer {
  id: string;
  name: string;
  description: string;
  tier: 'general' | 'vip' | 'early_bird' | 'custom';
  kind: 'seated' | 'ga';
  price: Money;
  prices: Record<string, number>;
  zones: string[];
  sale_start_at: string;
  sale_end_at: string;
  status: 'upcoming' | 'on_sale' | 'sold_out' | 'closed';
  left: number | null;
  max_per_order: number;
  entitlement: 'single' | 'limited_reentry_per_day' | 'unlimited_multi_day' | 'ga_seated' | 'ga_standing';
  valid_days: string[];
  charges: Charge[];
}

export interface OfferedHold {
  hold_id: string;
  seat_id: string | null;
  zone_id: string | null;
  ticket_type_id: string | null;
  quantity: number;
  zone_name: string | null;
  row: string | null;
  seat_number: string | null;
}

export interface OfflineScan {
  /** The device's number for the scan: repeats count once. */
  counter: number;
  at: string;
  /** The eight characters on the ticket. */
  code?: string | null;
  qr?: string | null;
  direction?: 'in' | 'out';
  admitted: boolean;
  reason?: string | null;
  test?: boolean;
  gate_id?: string | null;
  override?: Override | null;
  device_id?: string | null;
}

export interface OpenSession {
  id: string;
  slug: string;
  name: string;
  user_name: string;
  email: string | null;
  role: string;
}

export interface Order {
  id: string;
  event_id: string;
  code: string;
  status: string;
  lines: QuotedLine[];
  total: Money;
  buyer_name: string;
  buyer_email: string;
  payment: PaymentView;
  tickets: checkout_model_TicketView[];
  refunds: RefundView[];
  reason: string | null;
  consent_by: string | null;
  proposed: ProposedPlace[];
  created_at: string;
  paid_at: string | null;
  secret: string | null;
}

export interface OrderRefund {
  id: string;
  order_id: string;
  amount: Money;
  status: string;
  reason: string;
  fees: 'keep' | 'return' | null;
  ticket_ids: string[];
  failure: string | null;
  tries: number;
  paid_outside: string | null;
  created_at: string;
}

export interface OrderRow {
  id: string;
  event_id: string;
  code: string;
  status: string;
  provider: string;
  total: Money;
  buyer_name: string;
  buyer_email: string;
  created_at: string;
  paid_at: string | null;
}

export interface Organization {
  id: string;
  slug: string;
  name: string;
  status: 'active' | 'suspended';
  created_at: string;
}

export interface OrganizationProfile {
  id: string;
  slug: string;
  name: string;
  status: string;
  currency: string;
  locale: string;
  timezone: string;
  contact_email: string | null;
  accent_color: string;
  mail_sender_name: string | null;
  mail_reply_to: string | null;
  staff_may_edit_venues: boolean;
  event_capacity_max: number;
  ticket_price_max: number | null;
  embed_origins: string[];
  created_at: string;
}

export interface Override {
  reason: string;
}

export interface OwnEvent {
  id: string;
  owner_id: string | null;
  title: string;
  description: string;
  city: string;
  category: string;
  start_time: string;
  end_time: string;
  capacity: number;
  cover_image_ids: string[];
  status: string;
  active_participants: number;
  published_at: string | null;
  canceled_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface PaidOutside {
  reason: string;
}

export interface Pair {
  organization: string;
  code: string;
  app_version?: string | null;
}

export interface PairingResult {
  token: string;
  key: string;
  verify_key: string;
  device: Device;
  gates: GateInfo[];
  locale: string;
}

export interface PaymentView {
  provider: string;
  status: string;
  client_secret: string | null;
  failure_code: string | null;
  failure: string | null;
  notice: string | null;
}

export interface Picture {
  id: string;
  small: string;
  medium: string;
  large: string;
  generated: boolean;
}

export interface Place {
  event_id: string;
  status: 'waiting' | 'admitted' | 'sold_out' | 'closed' | 'expired' | 'left' | 'done';
  room: 'closed' | 'pre' | 'open' | 'paused' | 'draining';
  seq: number;
  position: number | null;
  ahead: number | null;
  total: number | null;
  eta_low_s: number | null;
  eta_high_s: number | null;
  expires_at: string | null;
  expires_at_unix_ms: number | null;
  opens_at: string | null;
  opens_at_unix_ms: number | null;
  seed_hash: string | null;
  server_time_unix_ms: number;
  next_poll_s: number;
  token: string | null;
}

export interface PlanDifference {
  added: string[];
  removed: string[];
  moved: Moved[];
  recategorised: Recategorised[];
  renumbered: Renumbered[];
  zones: ZoneChange[];
}

export interface PlanMigration {
  to_layout_id: string;
  respond_by: string;
}

export interface PlatformMe {
  id: string;
  email: string;
  name: string;
  role: string;
  actions: string[];
}

export interface PlatformSession {
  token: string;
  user: PlatformUser;
  expires_at: string;
}

export interface PlatformUser {
  id: string;
  email: string;
  name: string;
  role: string;
}

export interface Point {
  x: number;
  y: number;
}

export interface PolicyValue {
  name: string;
  value: boolean | number | null;
  source: 'event' | 'organization' | 'platform';
  default: boolean | number | null;
  mandatory: boolean;
  meaning: string;
  low: number | null;
  high: number | null;
  optional: boolean;
}

export interface Postpone {
  reason: string;
  rescheduled_at?: string | null;
}

export interface Problem {
  /** `/problems/{code}`, a page that explains the code. */
  type: string;
  title: string;
  status: number;
  detail: string;
  /** Stable, in snake_case. */
  code: string;
  fields?: {
    path: string;
    message: string;
  }[];
}

export interface PromoCode {
  id: string;
  event_id: string;
  code: string;
  kind: 'percent' | 'fixed' | 'access';
  basis_points: number | null;
  amount: number | null;
  ticket_type_ids: string[];
  max_uses: number | null;
  uses: number;
  budget: number | null;
  spent: number;
  valid_from: string | null;
  valid_until: string | null;
  active: boolean;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface PromoEffect {
  code: string;
  kind: 'percent' | 'fixed' | 'access';
  basis_points: number | null;
  amount: number | null;
  left: number | null;
  ticket_type_ids: string[];
  shown_type_ids: string[];
  valid_until: string | null;
}

export interface ProposedPlace {
  quantity: number;
  zone_name: string;
  row: string | null;
  seat: string | null;
}

export interface PublicEvent {
  id: string;
  organization_id: string;
  organization: string;
  organization_name: string;
  slug: string;
  title: string;
  description: string;
  category: string;
  status: string;
  phase: string;
  sale_status: string;
  sold_out: boolean;
  venue_name: string;
  city: string;
  country: string;
  address: string | null;
  timezone: string;
  start_time: string;
  end_time: string;
  first_start_time: string;
  rescheduled_at: string | null;
  sale_start_at: string;
  sale_end_at: string;
  sale_periods: SalePeriod[] | null;
  has_tickets: boolean;
  capacity: number;
  cover_image_ids: string[];
  cover_images: Picture[];
  owner_id: string | null;
  active_participants: number;
  published_at: string;
  created_at: string;
  changed_at: string;
}

export interface Purchase {
  provider: string;
  buyer: Buyer;
  method?: string | null;
}

export interface QuotedLine {
  kind: 'ticket' | 'discount' | 'fee' | 'tax';
  name: string;
  amount: number;
  quantity?: number;
  ticket_type_id?: string | null;
  included?: boolean;
}

export interface Rates {
  hold_to_checkout: number | null;
  checkout_to_sale: number | null;
  hold_to_sale: number | null;
  abandonment: number | null;
  expiry: number | null;
}

export interface Recategorised {
  seat: string;
  was: SeatTerms;
  now: SeatTerms;
}

export interface RedeemToken {
  token: string;
}

export interface RedeliverFailed {
  since: string;
}

export interface Redelivered {
  redelivered: number;
  more: boolean;
}

export interface RefundBatch {
  status: string;
  orders: number;
  done: number;
  failed: number;
  created_at: string;
  finished_at: string | null;
}

export interface RefundFailure {
  order_id: string;
  error: string;
  tries: number;
  try_at: string;
}

export interface RefundOrder {
  reason: string;
  ticket_ids?: string[] | null;
  /** Minor units. */
  amount?: number | null;
  fees?: 'keep' | 'return';
}

export interface RefundPreview {
  amount: Money;
  left: Money;
  ticket_ids: string[];
}

export interface RefundView {
  id: string;
  amount: Money;
  status: string;
  reason: string;
  created_at: string;
}

export interface RefundedAmounts {
  currency: string;
  refunds: number;
  requested: number;
  paid_out: number;
  failed: number;
}

export interface RefusedRefund {
  id: string;
  order_id: string;
  amount: Money;
  failure: string | null;
  tries: number;
  created_at: string;
}

export interface ReleaseSeats {
  seat_ids: string[];
  reason: string;
}

export interface Released {
  released: number;
}

export interface Renumbered {
  seat: string;
  was: SeatName;
  now: SeatName;
}

export interface ReportDay {
  day: string;
  placed: number;
  in_checkout: number;
  sold: number;
  expired: number;
  released: number;
  live: number;
}

export interface RequestMagicLink {
  organization: string;
  email: string;
}

export interface Reschedule {
  rescheduled_at: string;
  sale_end_at?: string | null;
  reason?: string | null;
}

export interface Reserve {
  source?: 'web' | 'scanner';
  /** Unlocks hidden ticket types. */
  promo_code?: string | null;
}

export interface Reserved {
  hold_id: string;
  seat_id: string;
  event_id: string;
  block_name: string;
  row: string;
  seat_number: string;
  status: string;
  locked_at: string | null;
  held_until: string | null;
  held_until_unix: number | null;
  held_until_unix_ms: number | null;
  server_time_unix_ms: number;
  expires_in_seconds: number | null;
  message: string;
  companions: CompanionSeat[];
}

export interface Resolve {
  note: string;
}

export interface RoomSettings {
  mode?: 'auto' | 'on' | 'off';
  slots?: number;
  admit_window_s?: number;
  opens_at?: string | null;
}

export interface RoomView {
  event_id: string;
  mode: 'auto' | 'on' | 'off';
  state: 'closed' | 'pre' | 'open' | 'paused' | 'draining';
  slots: number;
  admit_window_s: number;
  opens_at: string | null;
  sold_out: boolean;
  seed_hash: string | null;
  now: Figures;
}

export interface RotateKey {
  revoke?: boolean;
}

export interface SalePeriod {
  start_at: string;
  end_at: string;
}

export interface SalesPoint {
  at: string;
  orders: number;
  tickets: number;
  amount: Money;
}

export interface Scan {
  id: string;
  event_id: string;
  ticket_id: string | null;
  device_id: string;
  counter: number | null;
  gate_id: string;
  direction: string;
  admitted: boolean;
  reason: string | null;
  override: string | null;
  test: boolean;
  offline: boolean;
  at: string;
  day: string;
  undone_at: string | null;
  undone_reason: string | null;
}

export interface ScanRequest {
  qr?: string | null;
  /** The eight characters on the ticket. */
  code?: string | null;
  direction?: 'in' | 'out';
  test?: boolean;
  gate_id?: string | null;
  /** The device's number for the scan: repeats count once. */
  counter?: number | null;
  override?: Override | null;
  battery?: number | null;
  app_version?: string | null;
}

export interface ScanResponse {
  scan_id: string;
  admit: boolean;
  reason: string | null;
  message: string;
  direction: string;
  test: boolean;
  at: string;
  day: string;
  repeated: boolean;
  since: string | null;
  gate: string | null;
  ticket: TicketAtGate | null;
}

export interface Scope {
  name: string;
  actions: string[];
}

export interface Seat {
  id: string;
  seat_key: string;
  ordinal: number;
  zone_id: string;
  section: string;
  row: string;
  number: string;
  category: string;
  price_category: string | null;
  companion_of: string | null;
  status: string;
}

export interface SeatChoice {
  seat_ids?: string[];
  groups?: string[];
  reason: string;
}

export interface SeatMove {
  ticket_id: string;
  from_seat_id: string;
  from_seat_key: string;
  to_seat_id: string | null;
  to_seat_key: string | null;
  kind: string;
  reason: string;
}

export interface SeatName {
  section: string;
  row: string;
  number: string;
}

export interface SeatTerms {
  zone: string;
  category: string;
  price_category: string | null;
}

export interface Seating {
  layout_id: string | null;
  occupancy: seating_model_Occupancy | null;
}

export interface SessionItem {
  hold_id: string;
  ticket_type_id: string;
  name: string;
  seat_id: string | null;
  zone_id: string | null;
  quantity: number;
  unit_price: Money;
  attendee: Attendee | null;
  held_until: string | null;
  held_until_unix_ms: number | null;
  live: boolean;
}

export interface SetCharges {
  charges: Charge[];
}

export interface SetEventPolicy {
  policy: Record<string, boolean | number | null>;
}

export interface SetPolicy {
  values: Record<string, boolean | number | null>;
  mandatory?: string[];
}

export interface SignIn {
  organization: string;
  email: string;
  password: string;
}

export interface SignInAsGuest {
  organization: string;
  name?: string;
}

export interface SignInToPlatform {
  email: string;
  password: string;
}

export interface StartCheckout {
  items: checkout_model_Item[];
  /** Unlocks hidden ticket types. */
  promo_code?: string | null;
}

export type Status = 'draft' | 'published' | 'live' | 'ended' | 'cancelled' | 'postponed' | 'archived';

export interface StopRequest {
  reason: string;
  tenant_approval_reference?: string | null;
}

export interface Straight {
  name?: string;
  rows?: number;
  seats_per_row?: number;
  aisles_after?: number[];
  staggered?: boolean;
  continuous?: boolean;
  numbering?: 'left_to_right' | 'right_to_left' | 'odd_even';
  row_labels?: 'letters' | 'letters_without_i_o' | 'numbers';
  wheelchair_places?: number;
  /** From one seat to the next, in the plan's units. */
  seat_pitch?: number;
  /** From one seat to the next, in the plan's units. */
  row_pitch?: number;
  kind: 'straight';
}

export interface Tables {
  name?: string;
  rows?: number;
  columns?: number;
  seats_per_table?: number;
  sold_as?: 'whole' | 'seats';
  membership_tier?: string | null;
  /** From one seat to the next, in the plan's units. */
  seat_pitch?: number;
  kind: 'tables';
}

export interface Theatre {
  name?: string;
  stalls_rows?: number;
  stalls_seats?: number;
  circle_rows?: number;
  circle_seats?: number;
  upper_circle_rows?: number;
  upper_circle_seats?: number;
  premium_rows?: number;
  aisles?: number;
  numbering?: 'left_to_right' | 'right_to_left' | 'odd_even';
  row_labels?: 'letters' | 'letters_without_i_o' | 'numbers';
  wheelchair_places?: number;
  /** From one seat to the next, in the plan's units. */
  seat_pitch?: number;
  /** From one seat to the next, in the plan's units. */
  row_pitch?: number;
  kind: 'theatre';
}

export interface Ticket {
  id: string;
  event_id: string;
  order_id: string;
  ticket_type_id: string;
  seat_id: string | null;
  zone_id: string | null;
  number: string;
  code: string;
  holder_name: string;
  holder_email: string;
  holder_user_id: string | null;
  membership_id: string | null;
  status: 'valid' | 'used' | 'cancelled' | 'refunded';
  reason: string | null;
  version: number;
  issued_at: string;
  transferred_at: string | null;
}

export interface TicketAtGate {
  id: string;
  number: string;
  code: string;
  holder_name: string;
  type_name: string;
  status: string;
  zone_name: string | null;
  section: string | null;
  row: string | null;
  seat: string | null;
  place_no: number | null;
  accessibility: string | null;
  companion_seats: string | null;
  entries_today: number;
  inside: boolean;
}

export interface TicketKey {
  key_id: number;
  public_key: string;
  created_at: string;
  retired_at: string | null;
  revoked_at: string | null;
}

export interface TicketMove {
  ticket_id: string;
  migration_id: string;
  event_id: string;
  from_place: string;
  to_place: string | null;
  from_seat: TicketPlace;
  to_seat: TicketPlace | null;
  respond_by: string;
  answer: string | null;
  answered_at: string | null;
}

export interface TicketPlace {
  zone_name: string | null;
  row: string | null;
  seat: string | null;
}

export interface TicketType {
  id: string;
  event_id: string;
  name: string;
  description: string;
  tier: 'general' | 'vip' | 'early_bird' | 'custom';
  kind: 'seated' | 'ga';
  price: number;
  currency: string;
  prices: Record<string, number>;
  zones: string[];
  quantity: number | null;
  sale_start_at: string | null;
  sale_end_at: string | null;
  entitlement: 'single' | 'limited_reentry_per_day' | 'unlimited_multi_day' | 'ga_seated' | 'ga_standing';
  valid_days: string[];
  max_daily_entries: number | null;
  max_per_order: number | null;
  hidden: boolean;
  position: number;
  version: number;
  created_at: string;
  updated_at: string;
  held: number | null;
  sold: number | null;
}

export interface Transfer {
  name: string;
  email: string;
}

export interface Undo {
  reason: string;
}

export interface User {
  id: string;
  email: string | null;
  name: string;
  role: string;
  status: string;
  created_at: string;
}

export interface Venue {
  id: string;
  slug: string;
  name: string;
  kind: string;
  timezone: string;
  address: string | null;
  address_parts: AddressParts;
  city: string;
  country: string;
  latitude: number | null;
  longitude: number | null;
  max_capacity: number;
  settings: Record<string, unknown>;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface WaitlistEntry {
  id: string;
  event_id: string;
  email: string;
  party: number;
  zone_key: string | null;
  ticket_type_id: string | null;
  accessible: boolean;
  status: 'waiting' | 'offered' | 'taken' | 'lapsed' | 'left';
  position: number | null;
  offer: OfferedHold[];
  answer_by: string | null;
  answer_by_unix_ms: number | null;
  server_time_unix_ms: number;
  joined_at: string;
  timezone: string;
  show_path: string | null;
  secret: string | null;
}

export interface WaitlistEntryRow {
  id: string;
  seq: number;
  user_id: string;
  email: string;
  party: number;
  zone_key: string | null;
  ticket_type_id: string | null;
  accessible: boolean;
  status: 'waiting' | 'offered' | 'taken' | 'lapsed' | 'left';
  answer_by: string | null;
  created_at: string;
  updated_at: string;
}

export interface WaitlistSettings {
  enabled?: boolean;
  /** How long an offer is held, in seconds: 15 minutes to a week. */
  window_s?: number;
}

export interface WaitlistView {
  event_id: string;
  enabled: boolean;
  window_s: number;
  now: Counts;
}

export interface WayToPay {
  provider: string;
  methods: string[];
  notice: string | null;
  public_key: string | null;
}

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
  created_at: string;
  updated_at: string;
}

export interface WebhookWithSecret {
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
  created_at: string;
  updated_at: string;
  secret: string;
}

export interface WithReason {
  reason?: string | null;
}

export interface Zone {
  id: string;
  position: number;
  key: string;
  name: string;
  zone_type: string;
  capacity: number;
  access_mode: string;
  membership_tier: string | null;
  allowed_roles: string[];
  price_category: string | null;
}

export interface ZoneChange {
  zone: string;
  change: 'added' | 'removed' | 'changed';
  fields: string[];
}

export interface ZoneOccupancy {
  zone_id: string;
  key: string;
  name: string;
  priced_as: string | null;
  zone_type: string;
  capacity: number;
  available: number;
  held: number;
  sold: number;
  blocked: number;
}

export interface ZoneOverride {
  name?: string;
  zone_type?: 'reserved_seating' | 'ga_seated' | 'ga_standing' | 'vip_reserved' | 'vip_standing';
  capacity?: number;
  access_mode?: 'public' | 'membership_tier' | 'role_based' | 'whitelist';
  membership_tier?: string;
  allowed_roles?: string[];
}

export interface accounts_model_Session {
  token: string;
  user: User;
  organization: Organization;
  expires_at: string;
  expires_at_unix_ms: number;
}

export interface checkout_model_Item {
  hold_id: string;
  ticket_type_id: string;
  quantity?: number | null;
  attendee?: Attendee | null;
}

export interface checkout_model_Session {
  id: string;
  event_id: string;
  status: string;
  items: SessionItem[];
  promo_code: string | null;
  lines: QuotedLine[];
  total: Money;
  ways_to_pay: WayToPay[];
  expires_at: string;
  expires_at_unix_ms: number;
  server_time_unix_ms: number;
  order_id: string | null;
}

export interface checkout_model_TicketView {
  id: string;
  number: string;
  code: string;
  status: string;
  ticket_type_id: string;
  seat_id: string | null;
  zone_id: string | null;
  holder_name: string;
}

export interface holds_model_Item {
  seat_id?: string | null;
  zone_id?: string | null;
  ticket_type_id?: string | null;
  quantity?: number;
}

export interface scanning_live_model_Occupancy {
  kind: string;
  id: string;
  name: string | null;
  status: string | null;
  capacity: number | null;
  inside: number;
  entered: number;
}

export interface seating_model_Occupancy {
  capacity: number;
  available: number;
  held: number;
  sold: number;
  blocked: number;
  zones: ZoneOccupancy[];
  version: string;
}

export interface tickets_model_TicketView {
  id: string;
  event_id: string;
  order_id: string;
  ticket_type_id: string;
  seat_id: string | null;
  zone_id: string | null;
  number: string;
  code: string;
  holder_name: string;
  holder_email: string;
  holder_user_id: string | null;
  membership_id: string | null;
  status: 'valid' | 'used' | 'cancelled' | 'refunded';
  reason: string | null;
  version: number;
  issued_at: string;
  transferred_at: string | null;
  order_code: string;
  type_name: string;
  entitlement: string;
  price: Money | null;
  event_name: string;
  event_slug: string;
  event_status: string;
  start_at: string;
  end_at: string;
  doors_at: string;
  first_start_at: string;
  rescheduled_at: string | null;
  is_undated: boolean;
  timezone: string;
  venue_name: string;
  address: string | null;
  city: string;
  zone_name: string | null;
  section: string | null;
  row: string | null;
  seat: string | null;
  category: string | null;
  accessibility: string | null;
  qr: string | null;
}

/** By method and path, `{}` where a path names something. `data` is in the envelope of one thing, `row` in
 * that of a page; a route that has neither answers with nothing, or not in JSON. */
export interface Routes {
  /** Audit rows: who did what, newest first */
  'GET /api/audit': { row: AuditEntry };
  /** Audit rows as CSV */
  'GET /api/audit.csv': {};
  /** Start a guest session at an organisation's storefront */
  'POST /api/auth/guest': { body: SignInAsGuest; data: accounts_model_Session };
  /** Join a team with an emailed invitation, choosing a name and a password. A guest's session is handed over */
  'POST /api/auth/invitation/accept': { body: AcceptInvitation; data: accounts_model_Session };
  /** Sign in with email address and password */
  'POST /api/auth/login': { body: SignIn; data: accounts_model_Session };
  /** End this session */
  'POST /api/auth/logout': {};
  /** Request a sign-in link by email. The response does not reveal whether the address is known */
  'POST /api/auth/magic-link': { body: RequestMagicLink };
  /** Sign in with a link from an email. It works once. A guest's session is handed over as with a password */
  'POST /api/auth/magic-link/redeem': { body: RedeemToken; data: accounts_model_Session };
  /** The organisations that this browser is signed in to, newest first. Select one by its id in `X-Organization` */
  'GET /api/auth/sessions': { data: OpenSession[] };
  /** One of the caller's checkouts, with the time that is left */
  'GET /api/checkout/{}': { data: checkout_model_Session };
  /** Leave a checkout. Its holds, its waiting-room slot and its promo code are released at once */
  'DELETE /api/checkout/{}': {};
  /** Buy the items of a checkout. Needs an Idempotency-Key */
  'POST /api/checkout/{}/purchase': { body: Purchase; data: Order };
  /** Events of every status, ordered by date (a new date counts). The status `ahead` selects those not over yet */
  'GET /api/events': { row: EventView };
  /** Create an event as a draft. The name, address and time zone of its venue are copied to it */
  'POST /api/events': { body: NewEvent; data: EventView };
  /** Announced events that are not over, the next one first, in short: for dashboards and drop-downs. At most 200 */
  'GET /api/events/upcoming': { data: EventSummary[] };
  /** One event, with the transitions that its status allows now, and the number of active participants */
  'GET /api/events/{}': { data: EventView };
  /** Delete a draft. Events that were announced can only be archived */
  'DELETE /api/events/{}': {};
  /** Change an event. Moving an announced one to another venue requires a reason */
  'PATCH /api/events/{}': { body: ChangeEvent; data: EventView };
  /** Archive an event. This is final */
  'POST /api/events/{}/archive': { data: EventView };
  /** The audit of an event: what was done, by whom and why, newest first */
  'GET /api/events/{}/audit': { row: AuditEntry };
  /** The state of every seat by ordinal, two bits each: available, held, sold, blocked. The ETag is its version */
  'GET /api/events/{}/availability': {};
  /** A public event as iCalendar */
  'GET /api/events/{}/calendar.ics': {};
  /** Cancel an event for good. Sales stop at once. A reason is required */
  'POST /api/events/{}/cancel': { body: Cancel; data: EventView };
  /** The fees and taxes that apply to an event */
  'GET /api/events/{}/charges': { data: ChargeList };
  /** Set an event's own fees and taxes, which replace the organisation's */
  'PUT /api/events/{}/charges': { body: SetCharges; data: ChargeList };
  /** Delete an event's own fees and taxes: the organisation's apply again */
  'DELETE /api/events/{}/charges': {};
  /** The caller's open checkout for this event, for instance after a lost connection */
  'GET /api/events/{}/checkout': { data: checkout_model_Session };
  /** Begin a checkout of the caller's holds: each hold as tickets of a type */
  'POST /api/events/{}/checkout': { body: StartCheckout; data: checkout_model_Session | Place };
  /** Copy an event to another date, as a draft in the same series */
  'POST /api/events/{}/duplicate': { body: Duplicate; data: EventView };
  /** End the event by hand; the scheduler does it at its end time */
  'POST /api/events/{}/end': { data: EventView };
  /** Entries and exits of a day in five-minute intervals, and the entries at each gate in the last five minutes */
  'GET /api/events/{}/gates/entries': { data: Entries };
  /** How many are inside today: by gate, by zone and in total */
  'GET /api/events/{}/gates/live': { data: LiveGates };
  /** Live occupancy as Server-Sent Events: a `snapshot` after every entry or exit, at most one a second */
  'GET /api/events/{}/gates/stream': {};
  /** My holds of this event. Wheelchair spaces list the companion seats that are reserved for me beside them */
  'GET /api/events/{}/holds': { data: Hold[] };
  /** Hold several seats or general-admission spots, all or none; or the best available seats, with an explanation */
  'POST /api/events/{}/holds': { body?: HoldItems; data: Basket };
  /** Release all holds of these seats, with a reason. If one of them is being paid for, none is released */
  'POST /api/events/{}/holds/release': { body: ReleaseSeats; data: Record<string, number> };
  /** Incidents that offline gates caused: which ticket, where and when. Open ones first */
  'GET /api/events/{}/incidents': { data: Incident[] };
  /** Resolve an incident, with a note about the outcome */
  'POST /api/events/{}/incidents/{}/resolve': { body: Resolve; data: Incident };
  /** An event's layout version and what differs from it */
  'GET /api/events/{}/layout': { data: EventLayoutView };
  /** Set an event's whole seating and create its seats. Refused once seats are held or sold */
  'PUT /api/events/{}/layout': { body: AttachLayout; data: EventLayoutView };
  /** Remove an event's layout and seats. Refused once seats are held or sold */
  'DELETE /api/events/{}/layout': {};
  /** The state of every seat of any event of the organisation, as the public sees or will see it */
  'GET /api/events/{}/layout/availability': {};
  /** An event's migrations to other layout versions, planned, applied or discarded */
  'GET /api/events/{}/layout/migrations': { row: LayoutMigration };
  /** Plan who would sit where on another version of the layout. Nothing moves yet */
  'POST /api/events/{}/layout/migrations': { body: PlanMigration; data: LayoutMigrationView };
  /** The counts of any event of the organisation */
  'GET /api/events/{}/layout/occupancy': { data: seating_model_Occupancy };
  /** The map's geometry of any event of the organisation, drafts included */
  'GET /api/events/{}/layout/seatmap': {};
  /** The seats of any event of the organisation, by ordinal */
  'GET /api/events/{}/layout/seats': { row: Seat };
  /** Measures of one event, each with its target range and the limits beyond which it needs attention */
  'GET /api/events/{}/metrics': { data: EventMeasures };
  /** Notices to everybody with a ticket or reservation for the event, with how many emails were sent */
  'GET /api/events/{}/notices': { row: NoticeProgress };
  /** How many seats and standing places are available, held, sold and blocked: in each zone and in total */
  'GET /api/events/{}/occupancy': { data: seating_model_Occupancy };
  /** The ticket types on offer for an event, in their sort order, with fees and taxes. Amounts in minor units */
  'GET /api/events/{}/offers': { data: Offer[] };
  /** The orders of an event, oldest first */
  'GET /api/events/{}/orders': { row: OrderRow };
  /** Export the orders of an event as CSV, oldest first */
  'GET /api/events/{}/orders.csv': {};
  /** Postpone an event, with or without a new date. A reason is required */
  'POST /api/events/{}/postpone': { body: Postpone; data: EventView };
  /** The effect of a promo code, before seats are chosen: its discount, and the hidden types it shows */
  'GET /api/events/{}/promo-code': { data: PromoEffect };
  /** The promo codes of an event, with their uses and total discounts */
  'GET /api/events/{}/promo-codes': { data: PromoCode[] };
  /** Add a promo code: a percentage or an amount off, or access to hidden types */
  'POST /api/events/{}/promo-codes': { body: NewPromoCode; data: PromoCode };
  /** One promo code */
  'GET /api/events/{}/promo-codes/{}': { data: PromoCode };
  /** Delete a promo code that was never used */
  'DELETE /api/events/{}/promo-codes/{}': {};
  /** Change the limits, ticket types or validity of a promo code, or deactivate it */
  'PATCH /api/events/{}/promo-codes/{}': { body: ChangePromoCode; data: PromoCode };
  /** Publish an event, or a postponed one again on its new date */
  'POST /api/events/{}/publish': { data: EventView };
  /** My place in the queue: position, people ahead, estimated wait. Poll again after `next_poll_s` seconds */
  'GET /api/events/{}/queue': { data: Place };
  /** Join the queue, or get a slot at once if one is free */
  'POST /api/events/{}/queue': { body?: JoinQueue; data: Place };
  /** Leave the queue, or give up the slot. A person who leaves while waiting can join again after an hour. A slot that */
  'DELETE /api/events/{}/queue': {};
  /** Let nobody join any more. When the people who wait are served, the room closes */
  'POST /api/events/{}/queue/drain': { data: RoomView };
  /** What is needed to recompute the order of a pre-queue: the seed's hash before the room opens, then the seed */
  'GET /api/events/{}/queue/draw': { data: Draw };
  /** Open the room now: people are admitted in the order of the queue. A pre-queue is drawn */
  'POST /api/events/{}/queue/open': { data: RoomView };
  /** Pause admissions. People can still join, and those who were admitted go on */
  'POST /api/events/{}/queue/pause': { data: RoomView };
  /** Resume admissions */
  'POST /api/events/{}/queue/resume': { data: RoomView };
  /** The waiting room and its figures: people waiting, admitted and gone, and the rate of admissions */
  'GET /api/events/{}/queue/settings': { data: RoomView };
  /** Set when the room opens, how many people can choose and buy at a time, and how long an admitted person has to */
  'PUT /api/events/{}/queue/settings': { body: RoomSettings; data: RoomView };
  /** The refunds of an event; if it was cancelled, how many of its orders are refunded */
  'GET /api/events/{}/refunds': { data: EventRefunds };
  /** Retry the failed refunds of an event, up to 500 in one call, oldest first */
  'POST /api/events/{}/refunds/retry': { data: EventRefunds };
  /** Holds and checkouts of one event by outcome: in total and per day */
  'GET /api/events/{}/report': { data: EventReport };
  /** Set or change the new date of a postponed event */
  'POST /api/events/{}/reschedule': { body: Reschedule; data: EventView };
  /** Whether an event of the organisation has a layout, and its counts if so */
  'GET /api/events/{}/seating': { data: Seating };
  /** The effective seating policy of an event */
  'GET /api/events/{}/seating-policy': { data: PolicyValue[] };
  /** Set the fields in which an event differs from its organisation's policy, also during the sale */
  'PUT /api/events/{}/seating-policy': { body: SetEventPolicy; data: PolicyValue[] };
  /** The map's geometry: compact (docs/seatmap-format.md), or as JSON. It never changes for one layout version */
  'GET /api/events/{}/seatmap': {};
  /** An event's seats, by ordinal */
  'GET /api/events/{}/seats': { row: Seat };
  /** Block seats from sale, with a reason. Holds on them end; sold seats are refused */
  'POST /api/events/{}/seats/block': { body: SeatChoice; data: Record<string, number> };
  /** Release stranded seats of any event, with a reason: seats that are held, suspended or reserved as companions */
  'POST /api/events/{}/seats/release': { body: SeatChoice; data: Released };
  /** Put blocked seats back on sale, with a reason */
  'POST /api/events/{}/seats/unblock': { body: SeatChoice; data: Record<string, number> };
  /** One seat of an event */
  'GET /api/events/{}/seats/{}': { data: Seat };
  /** Reserve a seat for a few minutes. A repeat by the same person returns the same hold (200), with the time left */
  'POST /api/events/{}/seats/{}/reserve': { body?: Reserve; data: Reserved };
  /** Start the event by hand; the scheduler does it when doors open */
  'POST /api/events/{}/start': { data: EventView };
  /** One public event and its seats, live */
  'GET /api/events/{}/stream': {};
  /** One event in short, from the cache: for screens that poll */
  'GET /api/events/{}/summary': { data: EventSummary };
  /** The ticket types of an event, including hidden ones, with their held and sold counts */
  'GET /api/events/{}/ticket-types': { data: TicketType[] };
  /** Add a ticket type. Without a quantity, the capacity of its zones is the limit */
  'POST /api/events/{}/ticket-types': { body: NewTicketType; data: TicketType };
  /** One ticket type */
  'GET /api/events/{}/ticket-types/{}': { data: TicketType };
  /** Delete a ticket type without holds and orders */
  'DELETE /api/events/{}/ticket-types/{}': {};
  /** Change a ticket type. Open checkouts keep their price */
  'PATCH /api/events/{}/ticket-types/{}': { body: ChangeTicketType; data: TicketType };
  /** Turn a published event back into a draft */
  'POST /api/events/{}/unpublish': { body?: WithReason; data: EventView };
  /** My entry on the waitlist of an event, and my offer */
  'GET /api/events/{}/waiting-list': { data: WaitlistEntry };
  /** Join the waitlist of an event, for a party of a given size */
  'POST /api/events/{}/waiting-list': { body?: JoinWaitlist; data: WaitlistEntry };
  /** Leave the waitlist of an event. My offer, if any, goes to the next entry */
  'DELETE /api/events/{}/waiting-list': {};
  /** All entries of an event's waitlist, in the order of joining */
  'GET /api/events/{}/waiting-list/entries': { row: WaitlistEntryRow };
  /** An event's waitlist: whether it is on, how long an offer is held, and how many people wait */
  'GET /api/events/{}/waiting-list/settings': { data: WaitlistView };
  /** Switch an event's waitlist on or off, and set how long an offer is held */
  'PUT /api/events/{}/waiting-list/settings': { body: WaitlistSettings; data: WaitlistView };
  /** My entry on the waitlist of an event, and my offer */
  'GET /api/events/{}/waitlist': { data: WaitlistEntry };
  /** Join the waitlist of an event, for a party of a given size */
  'POST /api/events/{}/waitlist': { body?: JoinWaitlist; data: WaitlistEntry };
  /** Leave the waitlist of an event. My offer, if any, goes to the next entry */
  'DELETE /api/events/{}/waitlist': {};
  /** All entries of an event's waitlist, in the order of joining */
  'GET /api/events/{}/waitlist/entries': { row: WaitlistEntryRow };
  /** An event's waitlist: whether it is on, how long an offer is held, and how many people wait */
  'GET /api/events/{}/waitlist/settings': { data: WaitlistView };
  /** Switch an event's waitlist on or off, and set how long an offer is held */
  'PUT /api/events/{}/waitlist/settings': { body: WaitlistSettings; data: WaitlistView };
  /** The guest list of a zone, by email address */
  'GET /api/events/{}/zones/{}/guests': { row: Guest };
  /** Add people to a zone's guest list */
  'POST /api/events/{}/zones/{}/guests': { body: AddGuests; data: Record<string, number> };
  /** Remove a person from a zone's guest list */
  'DELETE /api/events/{}/zones/{}/guests/{}': {};
  /** One gate */
  'GET /api/gates/{}': { data: Gate };
  /** Delete a gate */
  'DELETE /api/gates/{}': {};
  /** Open, close, rename or resize a gate */
  'PATCH /api/gates/{}': { body: ChangeGate; data: Gate };
  /** Release a hold. Staff can release another person's hold, with a reason */
  'DELETE /api/holds/{}': {};
  /** Upload a picture: JPEG, PNG or WebP, up to 10 MB and 50 megapixels */
  'POST /api/images': { data: Image };
  /** One migration, with the new seat of each ticket */
  'GET /api/layout-migrations/{}': { data: LayoutMigrationView };
  /** Apply a planned migration to all tickets at once, or fail without any change */
  'POST /api/layout-migrations/{}/approve': { data: LayoutMigrationView };
  /** Discard a planned migration */
  'POST /api/layout-migrations/{}/discard': { data: LayoutMigrationView };
  /** Draw what `generate` would make, as SVG; nothing is stored */
  'POST /api/layouts/preview': { body: Straight | Curved | Arena | Tables | Theatre | Festival };
  /** One version of a layout, with its zones */
  'GET /api/layouts/{}': { data: LayoutView };
  /** Replace the plan of a draft */
  'PUT /api/layouts/{}': { body: Blob; data: LayoutView };
  /** Delete a draft. A layout that was activated can only be archived */
  'DELETE /api/layouts/{}': {};
  /** Activate a draft, so that events can use it; the version that was active is archived */
  'POST /api/layouts/{}/activate': { data: LayoutView };
  /** Archive a version: no other event can use it. Events that have it keep it */
  'POST /api/layouts/{}/archive': { data: LayoutView };
  /** Seats that were added, removed, moved, renumbered or recategorised since another version */
  'GET /api/layouts/{}/differences': { data: PlanDifference };
  /** The whole plan: as `fullhouse/1`, which can be sent back to make the next version, or as a layout's `config` */
  'GET /api/layouts/{}/plan': {};
  /** A drawing of the layout */
  'GET /api/layouts/{}/preview.svg': {};
  /** The layout's map geometry (docs/seatmap-format.md), whether an event uses it or not */
  'GET /api/layouts/{}/seatmap': {};
  /** Make the next version of a layout, as a draft. Events on older versions stay there */
  'POST /api/layouts/{}/versions': { body: Blob; data: LayoutView };
  /** The ledger's transactions, oldest first unless `sort` is `newest`. The entries of each sum to zero */
  'GET /api/ledger': { row: LedgerTransaction };
  /** Export the ledger as CSV, one row for each entry */
  'GET /api/ledger.csv': {};
  /** The organisation's balance by currency, in total or for one event */
  'GET /api/ledger/balance': { data: Balance[] };
  /** The signed-in caller, and what they may do */
  'GET /api/me': { data: Me };
  /** Change my name */
  'PATCH /api/me': { body: ChangeMe; data: User };
  /** Your moved tickets that still wait for an answer; the earliest deadline first */
  'GET /api/me/moves': { data: TicketMove[] };
  /** Set or change my password. All my other sessions end */
  'PUT /api/me/password': { body: ChangePassword };
  /** The caller's tickets, newest first */
  'GET /api/me/tickets': { row: tickets_model_TicketView };
  /** The order whose secret is in the `Authorization` header: for guests, from the link in their email */
  'GET /api/order': { data: Order };
  /** Accept or decline the proposed seats of the order whose secret is in the `Authorization` header */
  'POST /api/order/consent': { body: Consent; data: Order };
  /** Resend the tickets of the order whose secret is in the `Authorization` header, to the email address of the */
  'POST /api/order/resend': {};
  /** Transfer a ticket of the order whose secret is in the `Authorization` header */
  'POST /api/order/tickets/{}/transfer': { body: Transfer; data: Ticket };
  /** The caller's orders, oldest first; for staff, all orders of the organisation */
  'GET /api/orders': { row: OrderRow };
  /** Find orders by code, or by part of the buyer's name or email address; newest first */
  'POST /api/orders/search': { body?: FindOrders; row: FoundOrder };
  /** One of the caller's orders, with its tickets; any order for staff */
  'GET /api/orders/{}': { data: Order };
  /** The payment arrived after the seats were gone: accept the seats that are held instead, or have it refunded */
  'POST /api/orders/{}/consent': { body: Consent; data: Order };
  /** The refunds of an order, oldest first */
  'GET /api/orders/{}/refunds': { data: OrderRefund[] };
  /** Refund an order: all of it, some of its tickets, or an amount. Needs an Idempotency-Key */
  'POST /api/orders/{}/refunds': { body: RefundOrder; data: OrderRefund };
  /** The amount of a refund and the tickets that it would void. Changes nothing */
  'POST /api/orders/{}/refunds/preview': { body: RefundOrder; data: RefundPreview };
  /** Record that a failed refund was paid to the buyer by another way, for instance in cash or by bank transfer */
  'POST /api/orders/{}/refunds/{}/paid-outside': { body: PaidOutside; data: OrderRefund };
  /** Retry a refund that the provider rejected. A worker calls the provider; `status` has the outcome */
  'POST /api/orders/{}/refunds/{}/retry': { data: OrderRefund };
  /** Resend the tickets of one of my orders, to the email address of the order */
  'POST /api/orders/{}/resend': {};
  /** Resend an order's tickets to its buyer: those that are still valid */
  'POST /api/orders/{}/send': {};
  /** My organisation */
  'GET /api/org': { data: OrganizationProfile };
  /** Change the name, currency, language, time zone, contact, colour, email sender or other settings */
  'PATCH /api/org': { body: ChangeOrganization; data: OrganizationProfile };
  /** The organisation's API keys, without their secrets */
  'GET /api/org/api-keys': { row: ApiKey };
  /** Create an API key. Its secret is only in this response */
  'POST /api/org/api-keys': { body: CreateApiKey; data: NewApiKey };
  /** The scopes that I may give to an API key, and the actions that each allows */
  'GET /api/org/api-keys/scopes': { data: Scope[] };
  /** Revoke an API key. It stops working immediately */
  'DELETE /api/org/api-keys/{}': {};
  /** The organisation's fees and taxes */
  'GET /api/org/charges': { data: ChargeList };
  /** Set the fees and taxes of all events without their own. Open checkouts keep their price */
  'PUT /api/org/charges': { body: SetCharges; data: ChargeList };
  /** Invitations that are still open */
  'GET /api/org/invitations': { row: Invitation };
  /** Invite somebody to the team by email */
  'POST /api/org/invitations': { body: Invite; data: Invitation };
  /** Revoke an invitation */
  'DELETE /api/org/invitations/{}': {};
  /** The emails that are sent automatically, and when */
  'GET /api/org/mail-templates': { data: EmailTemplate[] };
  /** A sample of an email in the organisation's branding, as HTML, or as text below its subject */
  'GET /api/org/mail-templates/{}/preview': {};
  /** The organisation's emails, newest first; with the text until they are sent */
  'GET /api/org/mailbox': { row: Mail };
  /** One email, with its HTML until it is sent */
  'GET /api/org/mailbox/{}': { data: MailInFull };
  /** One email as its recipient sees it. 404 once it is sent, because its text is deleted then */
  'GET /api/org/mailbox/{}/html': {};
  /** The team, oldest first */
  'GET /api/org/members': { row: User };
  /** Change a member's role, or disable the member. Roles above your own cannot be managed */
  'PATCH /api/org/members/{}': { body: ChangeMember; data: User };
  /** Memberships, oldest first */
  'GET /api/org/memberships': { row: Membership };
  /** Grant a membership in a tier */
  'POST /api/org/memberships': { body: GrantMembership; data: Membership };
  /** One membership */
  'GET /api/org/memberships/{}': { data: Membership };
  /** Suspend, revoke or reactivate a membership, or change its tier or validity */
  'PATCH /api/org/memberships/{}': { body: ChangeMembership; data: Membership };
  /** Measures of all events on sale, each with its target range and the limits beyond which it needs attention */
  'GET /api/org/metrics': { data: Measures };
  /** Holds and checkouts by outcome, per announced event, the latest date first */
  'GET /api/org/reports': { row: EventReportSummary };
  /** The same as CSV */
  'GET /api/org/reports.csv': {};
  /** The organisation's seating policy: each value, and which level sets it */
  'GET /api/org/seating-policy': { data: PolicyValue[] };
  /** The organisation's events, live */
  'GET /api/org/stream': {};
  /** The public keys for verifying tickets */
  'GET /api/org/ticket-keys': { data: TicketKey[] };
  /** Sign tickets with a new key. Codes signed with the old key stay valid, unless it is revoked */
  'POST /api/org/ticket-keys': { body?: RotateKey; data: TicketKey[] };
  /** The organisation's webhooks, oldest first, without their secrets */
  'GET /api/org/webhooks': { row: Webhook };
  /** Subscribe a URL to facts. The response has its secret, which is not returned again */
  'POST /api/org/webhooks': { body: NewWebhook; data: WebhookWithSecret };
  /** One webhook */
  'GET /api/org/webhooks/{}': { data: Webhook };
  /** Delete a webhook and its log */
  'DELETE /api/org/webhooks/{}': {};
  /** Change a webhook, or enable it again after it was disabled */
  'PATCH /api/org/webhooks/{}': { body: ChangeWebhook; data: Webhook };
  /** The deliveries of a webhook and their outcomes, newest first. Stored for 30 days */
  'GET /api/org/webhooks/{}/deliveries': { row: Delivery };
  /** Send a message again, with the same `webhook-id` */
  'POST /api/org/webhooks/{}/deliveries/{}/redeliver': { data: Delivery };
  /** Send all messages again that failed since a time, each with the same `webhook-id`: up to 1,000, the oldest */
  'POST /api/org/webhooks/{}/redeliver': { body: RedeliverFailed; data: Redelivered };
  /** Make a new secret. For a day, messages are signed with the former one as well */
  'POST /api/org/webhooks/{}/secret': { data: WebhookWithSecret };
  /** Send a `webhook.test` now, once, and return the receiver's response. Takes up to 15 seconds */
  'POST /api/org/webhooks/{}/test': { data: Delivery };
  /** Receive an event about a payment or a refund, signed by the provider */
  'POST /api/payments/{}/webhook': { body: Blob; data: Record<string, boolean> };
  /** Cancel an event of any organisation */
  'POST /api/platform/events/{}/cancel': { body: StopRequest; data: EventView };
  /** Postpone an event of any organisation, without a new date */
  'POST /api/platform/events/{}/postpone': { body: StopRequest; data: EventView };
  /** Sign in as platform staff. The token goes into the Authorization header; there is no cookie */
  'POST /api/platform/login': { body: SignInToPlatform; data: PlatformSession };
  /** End this session */
  'POST /api/platform/logout': {};
  /** The signed-in platform user, and what they may do */
  'GET /api/platform/me': { data: PlatformMe };
  /** All organisations, oldest first */
  'GET /api/platform/organizations': { row: Organization };
  /** Create an organisation and email its owner an invitation. A repeated request is refused: the slug is taken */
  'POST /api/platform/organizations': { body: CreateOrganization; data: Organization };
  /** One organisation */
  'GET /api/platform/organizations/{}': { data: Organization };
  /** Suspend an organisation or reactivate it, with a reason */
  'PATCH /api/platform/organizations/{}': { body: ChangeOrganizationStatus; data: Organization };
  /** An organisation's events that are not over, by date: those that the platform can stop */
  'GET /api/platform/organizations/{}/events': { row: EventView };
  /** An organisation's seating policy, and which fields are mandatory */
  'GET /api/platform/organizations/{}/seating-policy': { data: PolicyValue[] };
  /** Set an organisation's seating policy, and the fields that none of its events may override */
  'PUT /api/platform/organizations/{}/seating-policy': { body: SetPolicy; data: PolicyValue[] };
  /** Announced events that are not over, with their sales, the next one first. At most 200 */
  'GET /api/sales/by-show': { data: EventSales[] };
  /** Paid orders per hour or day in which they were placed: of one event, or of all */
  'GET /api/sales/over-time': { data: SalesPoint[] };
  /** Scan a ticket, by its QR code or its eight-character code */
  'POST /api/scan': { body?: ScanRequest; data: ScanResponse };
  /** Upload scans that a device decided offline */
  'POST /api/scan/batch': { body: Batch; data: MergeResult };
  /** Devices, with the time they were last seen, their battery level and app version */
  'GET /api/scan/devices': { data: Device[] };
  /** Create a pairing code for a device at some gates of an event. It works once, for ten minutes */
  'POST /api/scan/devices': { body: NewDevice; data: NewPairing };
  /** Revoke a device. Its next request is refused; its scans stay */
  'DELETE /api/scan/devices/{}': {};
  /** Incidents of an event, for gate staff: open ones first. They contain names, as the search does */
  'GET /api/scan/incidents': { data: Incident[] };
  /** How many are inside today, at the calling device's event */
  'GET /api/scan/live': { data: LiveGates };
  /** Pair as the device of a pairing code. The token and the keys are only in this response */
  'POST /api/scan/pair': { body: Pair; data: PairingResult };
  /** Tickets of an event by name, order code, ticket code or number: fifty at most */
  'GET /api/scan/search': { data: Hit[] };
  /** The same search with the name in the body, since URLs end up in logs and browser histories */
  'POST /api/scan/search': { body: FindTickets; data: Hit[] };
  /** What a device needs to decide offline: signed, and encrypted for the device (docs/scanning.md) */
  'GET /api/scan/snapshot': {};
  /** Undo a wrong scan, with a reason */
  'POST /api/scan/{}/undo': { body: Undo; data: Scan };
  /** Search public events by title, venue, city and description, best match first */
  'GET /api/search': { data: PublicEvent[] };
  /** Void a ticket, with a reason, and put its seat back on sale. Does not refund the payment */
  'POST /api/tickets/{}/cancel': { body: CancelTicket; data: Ticket };
  /** A ticket's new seat, if its event's layout was migrated after the sale */
  'GET /api/tickets/{}/move': { data: TicketMove };
  /** Take the new seat, or get a refund, fees included. Without an answer the ticket keeps its new seat, if any */
  'POST /api/tickets/{}/move': { body: AnswerMove; data: TicketMove };
  /** Transfer a ticket. The new holder gets a new code, shown here to staff only; the previous code is void */
  'POST /api/tickets/{}/transfer': { body: Transfer; data: Ticket };
  /** One ticket, with the text of its QR code */
  'GET /api/tickets/{}': { data: tickets_model_TicketView };
  /** Venues, oldest first */
  'GET /api/venues': { row: Venue };
  /** Create a venue. Without a slug, one is made of its name */
  'POST /api/venues': { body: NewVenue; data: Venue };
  /** One venue */
  'GET /api/venues/{}': { data: Venue };
  /** Delete a venue and its gates */
  'DELETE /api/venues/{}': {};
  /** Change a venue. Existing events keep their copy of its name, address and time zone */
  'PATCH /api/venues/{}': { body: ChangeVenue; data: Venue };
  /** A venue's gates, oldest first */
  'GET /api/venues/{}/gates': { row: Gate };
  /** Create a gate of a venue */
  'POST /api/venues/{}/gates': { body: NewGate; data: Gate };
  /** A venue's layouts, every version of each, oldest first */
  'GET /api/venues/{}/layouts': { row: Layout };
  /** Make a layout from a plan (`fullhouse/1`), as a draft. All mistakes are listed at once */
  'POST /api/venues/{}/layouts': { body: Blob; data: LayoutView };
  /** Make a layout from a few numbers, as a draft: rows, an arena, tables, a theatre, a festival */
  'POST /api/venues/{}/layouts/generate': { body: Straight | Curved | Arena | Tables | Theatre | Festival; data: LayoutView };
  /** Make a layout from a `fullhouse` plan, a layout's `config` or a `pretix` plan, as a draft. Without `format` the */
  'POST /api/venues/{}/layouts/import': { body: Blob; data: Imported };
  /** The entry whose secret is in the `Authorization` header: for guests, through the link in their email */
  'GET /api/waitlist': { data: WaitlistEntry };
  /** Leave the waitlist through the link in the email */
  'DELETE /api/waitlist': {};
  /** Open a session as the guest who joined the waitlist, on the device that opened the email */
  'POST /api/waitlist/session': { data: accounts_model_Session };
  /** Public events of all organisations: the next one first (`latest`), or by views and sales (`trending`) */
  'GET /event/v1/events': { row: PublicEvent };
  /** Create an event as a draft, at a venue or just in a city */
  'POST /event/v1/events': { body: NewPublicEvent; data: OwnEvent };
  /** One public event. 304 if `If-None-Match` has the current `ETag` */
  'GET /event/v1/events/{}': { data: PublicEvent | OwnEvent };
  /** Change an event that I created; admins and owners can change any */
  'PATCH /event/v1/events/{}': { body: ChangePublicEvent; data: OwnEvent };
  /** Cancel an event. Without a reason, a default one is recorded */
  'POST /event/v1/events/{}/cancel': { body?: WithReason; data: OwnEvent };
  /** Publish an event */
  'POST /event/v1/events/{}/publish': { data: OwnEvent };
  /** Turn a published event back into a draft */
  'POST /event/v1/events/{}/unpublish': { data: OwnEvent };
  /** Events that I created, newest first */
  'GET /event/v1/me/events': { row: OwnEvent };
  /** Cities with public events: those that begin with `q`, then similar names */
  'GET /event/v1/meta/cities': { data: CitySuggestion[] };
  /** Live */
  'GET /health/live': {};
  /** Ready */
  'GET /health/ready': {};
}
