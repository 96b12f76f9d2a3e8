-- The schema as a migrated database has it: written by `make schema`, compared by a test. Functions stand in
-- functions/, one file each; why a table is as it is stands in baseline/ and migrations/.

CREATE SCHEMA app;

CREATE SCHEMA jobs;

CREATE TYPE app.held_row AS (
	req integer,
	line integer,
	outcome text,
	hold_id uuid,
	held_until timestamp with time zone,
	left_s integer,
	event_id uuid,
	ordinal integer,
	zone_id uuid,
	version integer,
	held integer,
	sold integer
);

CREATE TYPE app.hold_judgement AS (
	req integer,
	line integer,
	outcome text,
	event_id uuid,
	user_id uuid,
	seat_id uuid,
	kind text,
	ref_id uuid,
	ticket_type_id uuid,
	quantity integer,
	hold_id uuid,
	basket_id uuid,
	source text,
	network text,
	keyed boolean,
	held_until timestamp with time zone,
	keeps_companions boolean,
	ip text,
	user_agent text,
	request_id text,
	ttl_s integer,
	ordinal integer,
	zone_id uuid,
	version integer,
	status text,
	old_hold uuid,
	old_until timestamp with time zone,
	day_type uuid
);

CREATE TYPE app.hold_line AS (
	req integer,
	line integer,
	event_id uuid,
	user_id uuid,
	seat_id uuid,
	kind text,
	ref_id uuid,
	quantity integer,
	hold_id uuid,
	basket_id uuid,
	source text,
	network text,
	ttl_s integer,
	per_window integer,
	most_mine integer,
	most_near integer,
	keeps_companions boolean,
	basket_low uuid,
	basket_high uuid,
	ip text,
	user_agent text,
	request_id text,
	most_places integer,
	most_chairs integer,
	promo_code text,
	ticket_type_id uuid
);

CREATE TYPE app.places AS (
	seats uuid[],
	kind text,
	ref_id uuid
);

CREATE TYPE app.queue_news AS (
	seq integer,
	until timestamp with time zone,
	code integer
);

CREATE TYPE app.scan_ask AS (
	req integer,
	device_id uuid,
	counter bigint,
	gate_id uuid,
	ticket_id uuid,
	code text,
	key_id smallint
);

CREATE TYPE app.scan_line AS (
	req integer,
	scan_id uuid,
	event_id uuid,
	ticket_id uuid,
	device_id uuid,
	counter bigint,
	gate_id uuid,
	direction text,
	admitted boolean,
	reason text,
	override text,
	test boolean,
	at timestamp with time zone,
	day date,
	counts boolean,
	expected integer,
	event_version integer,
	gate_version integer,
	ticket_version integer,
	inside boolean,
	presence_day date,
	entries_today integer,
	entries integer,
	last_at timestamp with time zone,
	last_gate_id uuid,
	step integer,
	count_gate_id uuid,
	zone_id uuid,
	gate_capacity integer,
	zone_capacity integer,
	uses boolean,
	place_no integer,
	wants_place boolean,
	number text,
	battery smallint,
	app_version text,
	device_name text,
	ip text,
	user_agent text,
	request_id text
);

CREATE TYPE app.stand AS (
	ticket_id uuid,
	inside boolean,
	day date,
	entries_today integer,
	entries integer,
	at timestamp with time zone,
	gate_id uuid
);

CREATE TYPE app.told_scan AS (
	id uuid,
	ticket_id uuid,
	counter bigint,
	gate_id uuid,
	direction text,
	admitted boolean,
	reason text,
	override text,
	test boolean,
	at timestamp with time zone,
	day date
);

CREATE TYPE app.whereabouts AS (
	anywhere boolean,
	zones uuid[],
	near int4multirange
);

CREATE TYPE jobs.status AS ENUM (
    'queued',
    'picked',
    'successful',
    'exception',
    'canceled',
    'deleted',
    'failed'
);

CREATE TABLE public.ticket_types (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    tier text NOT NULL,
    kind text NOT NULL,
    price bigint NOT NULL,
    currency text NOT NULL,
    prices jsonb DEFAULT '{}'::jsonb NOT NULL,
    zones text[] DEFAULT '{}'::text[] NOT NULL,
    quantity integer,
    sale_start_at timestamp with time zone,
    sale_end_at timestamp with time zone,
    entitlement text NOT NULL,
    valid_days date[] DEFAULT '{}'::date[] NOT NULL,
    max_daily_entries integer,
    max_per_order integer,
    hidden boolean DEFAULT false NOT NULL,
    "position" integer DEFAULT 0 NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    by_day boolean GENERATED ALWAYS AS (((kind = 'ga'::text) AND (valid_days <> '{}'::date[]))) STORED NOT NULL,
    CONSTRAINT ticket_types_check CHECK ((sale_start_at < sale_end_at)),
    CONSTRAINT ticket_types_check1 CHECK (((entitlement = 'limited_reentry_per_day'::text) = (max_daily_entries IS NOT NULL))),
    CONSTRAINT ticket_types_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT ticket_types_description_check CHECK ((length(description) <= 500)),
    CONSTRAINT ticket_types_entitlement_check CHECK ((entitlement = ANY (ARRAY['single'::text, 'limited_reentry_per_day'::text, 'unlimited_multi_day'::text, 'ga_seated'::text, 'ga_standing'::text]))),
    CONSTRAINT ticket_types_kind_check CHECK ((kind = ANY (ARRAY['seated'::text, 'ga'::text]))),
    CONSTRAINT ticket_types_max_daily_entries_check CHECK (((max_daily_entries >= 1) AND (max_daily_entries <= 100))),
    CONSTRAINT ticket_types_max_per_order_check CHECK (((max_per_order >= 1) AND (max_per_order <= 10))),
    CONSTRAINT ticket_types_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT ticket_types_price_check CHECK (((price >= 0) AND (price <= '99999999999'::bigint))),
    CONSTRAINT ticket_types_quantity_check CHECK (((quantity >= 1) AND (quantity <= 100000))),
    CONSTRAINT ticket_types_tier_check CHECK ((tier = ANY (ARRAY['general'::text, 'vip'::text, 'early_bird'::text, 'custom'::text])))
);

ALTER TABLE ONLY public.ticket_types FORCE ROW LEVEL SECURITY;

CREATE TABLE public.queue_rooms (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    mode text DEFAULT 'auto'::text NOT NULL,
    state text DEFAULT 'closed'::text NOT NULL,
    slots integer DEFAULT 5 NOT NULL,
    slots_since timestamp with time zone DEFAULT app.clock() NOT NULL,
    admit_window_s integer DEFAULT 120 NOT NULL,
    opens_at timestamp with time zone,
    next_seq integer DEFAULT 1 NOT NULL,
    sold_out boolean DEFAULT false NOT NULL,
    seed_hash bytea,
    sealed_seed bytea,
    seed bytea,
    tickets integer,
    drawn boolean DEFAULT true NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT queue_rooms_admit_window_s_check CHECK (((admit_window_s >= 30) AND (admit_window_s <= 1800))),
    CONSTRAINT queue_rooms_check CHECK (((state <> 'pre'::text) OR ((opens_at IS NOT NULL) AND (sealed_seed IS NOT NULL)))),
    CONSTRAINT queue_rooms_check1 CHECK (((seed IS NULL) = (tickets IS NULL))),
    CONSTRAINT queue_rooms_mode_check CHECK ((mode = ANY (ARRAY['auto'::text, 'on'::text, 'off'::text]))),
    CONSTRAINT queue_rooms_slots_check CHECK (((slots >= 1) AND (slots <= 10000))),
    CONSTRAINT queue_rooms_state_check CHECK ((state = ANY (ARRAY['closed'::text, 'pre'::text, 'open'::text, 'paused'::text, 'draining'::text])))
)
WITH (fillfactor='50');

ALTER TABLE ONLY public.queue_rooms FORCE ROW LEVEL SECURITY;

CREATE TABLE public.waitlist_entries (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    seq bigint NOT NULL,
    user_id uuid NOT NULL,
    email text NOT NULL,
    secret_hash bytea NOT NULL,
    party smallint NOT NULL,
    zone_key text,
    ticket_type_id uuid,
    accessible boolean DEFAULT false NOT NULL,
    status text DEFAULT 'waiting'::text NOT NULL,
    basket_id uuid,
    answer_by timestamp with time zone,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    wish text GENERATED ALWAYS AS ((((((((party)::text || '|'::text) || COALESCE(zone_key, ''::text)) || '|'::text) || COALESCE((ticket_type_id)::text, ''::text)) || '|'::text) || (accessible)::text)) STORED NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT waitlist_entries_check CHECK (((zone_key IS NULL) OR (ticket_type_id IS NULL))),
    CONSTRAINT waitlist_entries_check1 CHECK (
CASE status
    WHEN 'waiting'::text THEN (basket_id IS NULL)
    WHEN 'left'::text THEN true
    ELSE (basket_id IS NOT NULL)
END),
    CONSTRAINT waitlist_entries_check2 CHECK (((basket_id IS NULL) = (answer_by IS NULL))),
    CONSTRAINT waitlist_entries_email_check CHECK (((length(email) >= 3) AND (length(email) <= 254))),
    CONSTRAINT waitlist_entries_party_check CHECK (((party >= 1) AND (party <= 10))),
    CONSTRAINT waitlist_entries_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'offered'::text, 'taken'::text, 'lapsed'::text, 'left'::text])))
)
WITH (fillfactor='80');

ALTER TABLE ONLY public.waitlist_entries FORCE ROW LEVEL SECURITY;

CREATE TABLE app.functions (
    name text NOT NULL,
    checksum text NOT NULL,
    program text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE app.migrations (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE jobs.history (
    id bigint NOT NULL,
    created timestamp with time zone DEFAULT now() NOT NULL,
    job_id bigint NOT NULL,
    status jobs.status NOT NULL,
    priority integer NOT NULL,
    entrypoint text NOT NULL,
    traceback jsonb,
    aggregated boolean DEFAULT false
);

ALTER TABLE jobs.history ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME jobs.history_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE jobs.queue (
    id bigint NOT NULL,
    priority integer NOT NULL,
    queue_manager_id uuid,
    created timestamp with time zone DEFAULT now() NOT NULL,
    updated timestamp with time zone DEFAULT now() NOT NULL,
    heartbeat timestamp with time zone DEFAULT now() NOT NULL,
    execute_after timestamp with time zone DEFAULT now() NOT NULL,
    status jobs.status NOT NULL,
    entrypoint text NOT NULL,
    dedupe_key text,
    payload bytea,
    headers jsonb,
    attempts integer DEFAULT 0 NOT NULL,
    slot bigint
);

CREATE SEQUENCE jobs.queue_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE jobs.queue_id_seq OWNED BY jobs.queue.id;

CREATE TABLE jobs.schedules (
    id bigint NOT NULL,
    expression text NOT NULL,
    entrypoint text NOT NULL,
    heartbeat timestamp with time zone DEFAULT now() NOT NULL,
    created timestamp with time zone DEFAULT now() NOT NULL,
    updated timestamp with time zone DEFAULT now() NOT NULL,
    next_run timestamp with time zone DEFAULT now() NOT NULL,
    last_run timestamp with time zone,
    status jobs.status DEFAULT 'queued'::jobs.status
);

CREATE SEQUENCE jobs.schedules_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE jobs.schedules_id_seq OWNED BY jobs.schedules.id;

CREATE TABLE jobs.statistics (
    id bigint NOT NULL,
    created timestamp with time zone DEFAULT date_trunc('sec'::text, now()) NOT NULL,
    count bigint NOT NULL,
    priority integer NOT NULL,
    status jobs.status NOT NULL,
    entrypoint text NOT NULL
);

CREATE SEQUENCE jobs.statistics_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE jobs.statistics_id_seq OWNED BY jobs.statistics.id;

CREATE TABLE public.api_keys (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    name text NOT NULL,
    scopes text[] NOT NULL,
    token_hash bytea NOT NULL,
    hint text NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT api_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 120))),
    CONSTRAINT api_keys_scopes_check CHECK ((cardinality(scopes) > 0))
);

ALTER TABLE ONLY public.api_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.audit_log (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    actor_type text NOT NULL,
    actor_id uuid,
    actor_name text,
    action text NOT NULL,
    entity_type text NOT NULL,
    entity_id uuid,
    before jsonb,
    after jsonb,
    reason text,
    approval_reference text,
    ip text,
    user_agent text,
    request_id text,
    CONSTRAINT audit_log_actor_type_check CHECK ((actor_type = ANY (ARRAY['user'::text, 'api_key'::text, 'device'::text, 'platform'::text, 'system'::text])))
)
PARTITION BY RANGE (created_at);

ALTER TABLE ONLY public.audit_log FORCE ROW LEVEL SECURITY;

CREATE TABLE public.audit_log_default (
    id uuid CONSTRAINT audit_log_id_not_null NOT NULL,
    organization_id uuid CONSTRAINT audit_log_organization_id_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() CONSTRAINT audit_log_created_at_not_null NOT NULL,
    actor_type text CONSTRAINT audit_log_actor_type_not_null NOT NULL,
    actor_id uuid,
    actor_name text,
    action text CONSTRAINT audit_log_action_not_null NOT NULL,
    entity_type text CONSTRAINT audit_log_entity_type_not_null NOT NULL,
    entity_id uuid,
    before jsonb,
    after jsonb,
    reason text,
    approval_reference text,
    ip text,
    user_agent text,
    request_id text,
    CONSTRAINT audit_log_actor_type_check CHECK ((actor_type = ANY (ARRAY['user'::text, 'api_key'::text, 'device'::text, 'platform'::text, 'system'::text])))
);

ALTER TABLE ONLY public.audit_log_default FORCE ROW LEVEL SECURITY;

CREATE TABLE public.charge_lists (
    organization_id uuid NOT NULL,
    scope_id uuid NOT NULL,
    charges jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL
);

ALTER TABLE ONLY public.charge_lists FORCE ROW LEVEL SECURITY;

CREATE TABLE public.checkout_items (
    organization_id uuid NOT NULL,
    session_id uuid NOT NULL,
    "position" smallint NOT NULL,
    hold_id uuid NOT NULL,
    ticket_type_id uuid NOT NULL,
    name text NOT NULL,
    seat_id uuid,
    zone_id uuid,
    quantity integer NOT NULL,
    unit bigint NOT NULL,
    net bigint NOT NULL,
    counted boolean NOT NULL,
    attendee_name text,
    attendee_email text,
    membership_id uuid,
    CONSTRAINT checkout_items_quantity_check CHECK (((quantity >= 1) AND (quantity <= 10)))
);

ALTER TABLE ONLY public.checkout_items FORCE ROW LEVEL SECURITY;

CREATE TABLE public.checkout_sessions (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    user_id uuid NOT NULL,
    status text DEFAULT 'open'::text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    promo_code text,
    currency text NOT NULL,
    total bigint NOT NULL,
    quote jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT checkout_sessions_status_check CHECK ((status = ANY (ARRAY['open'::text, 'paying'::text, 'completed'::text, 'expired'::text, 'left'::text, 'cancelled'::text]))),
    CONSTRAINT checkout_sessions_total_check CHECK ((total >= 0))
)
WITH (fillfactor='80');

ALTER TABLE ONLY public.checkout_sessions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.day_places (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    kind text NOT NULL,
    ref_id uuid NOT NULL,
    ticket_type_id uuid NOT NULL,
    held integer DEFAULT 0 NOT NULL,
    sold integer DEFAULT 0 NOT NULL,
    CONSTRAINT day_places_held_check CHECK ((held >= 0)),
    CONSTRAINT day_places_kind_check CHECK ((kind = ANY (ARRAY['zone'::text, 'event'::text]))),
    CONSTRAINT day_places_sold_check CHECK ((sold >= 0))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.day_places FORCE ROW LEVEL SECURITY;

CREATE TABLE public.event_directory (
    event_id uuid NOT NULL,
    organization_id uuid NOT NULL
);

ALTER TABLE ONLY public.event_directory FORCE ROW LEVEL SECURITY;

CREATE TABLE public.event_layouts (
    event_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    layout_id uuid NOT NULL,
    disabled_zones uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    zone_overrides jsonb DEFAULT '{}'::jsonb NOT NULL,
    pricing_zones jsonb DEFAULT '{}'::jsonb NOT NULL,
    policy jsonb DEFAULT '{}'::jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL
);

ALTER TABLE ONLY public.event_layouts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.outbox (
    id uuid NOT NULL,
    seq bigint NOT NULL,
    organization_id uuid NOT NULL,
    name text NOT NULL,
    subject_id uuid NOT NULL,
    payload jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    due_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    sent_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    handled_at timestamp with time zone,
    parked_at timestamp with time zone
);

ALTER TABLE ONLY public.outbox FORCE ROW LEVEL SECURITY;

CREATE VIEW public.event_outbox WITH (security_invoker='true') AS
 SELECT seq AS id,
    id AS message_id,
    name AS routing_key,
    payload AS body,
    created_at,
    sent_at,
    attempts,
    last_error
   FROM public.outbox;

CREATE TABLE public.event_seats (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    seat_id uuid NOT NULL,
    ordinal integer NOT NULL,
    zone_id uuid NOT NULL,
    status text DEFAULT 'available'::text NOT NULL,
    held_until timestamp with time zone,
    hold_id uuid,
    ticket_id uuid,
    companion_of uuid,
    reserved_for uuid,
    reserved_until timestamp with time zone,
    version integer DEFAULT 1 NOT NULL,
    CONSTRAINT event_seats_check CHECK (((status = 'held'::text) = ((hold_id IS NOT NULL) AND (held_until IS NOT NULL)))),
    CONSTRAINT event_seats_check1 CHECK (((status = 'sold'::text) = (ticket_id IS NOT NULL))),
    CONSTRAINT event_seats_check2 CHECK (((reserved_for IS NULL) = (reserved_until IS NULL))),
    CONSTRAINT event_seats_status_check CHECK ((status = ANY (ARRAY['available'::text, 'held'::text, 'sold'::text, 'blocked'::text])))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.event_seats FORCE ROW LEVEL SECURITY;

CREATE TABLE public.event_stats (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    views bigint DEFAULT 0 NOT NULL,
    sold bigint DEFAULT 0 NOT NULL,
    heat double precision NOT NULL,
    unranked boolean DEFAULT false NOT NULL,
    active_participants integer DEFAULT 0 NOT NULL,
    CONSTRAINT event_stats_active_participants_check CHECK ((active_participants >= 0)),
    CONSTRAINT event_stats_sold_check CHECK ((sold >= 0)),
    CONSTRAINT event_stats_views_check CHECK ((views >= 0))
);

ALTER TABLE ONLY public.event_stats FORCE ROW LEVEL SECURITY;

CREATE TABLE public.event_zones (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    zone_id uuid NOT NULL,
    "position" integer NOT NULL,
    zone_key text NOT NULL,
    name text NOT NULL,
    zone_type text NOT NULL,
    capacity integer NOT NULL,
    access_mode text NOT NULL,
    membership_tier text,
    allowed_roles text[] DEFAULT '{}'::text[] NOT NULL,
    price_category text,
    companions_released boolean DEFAULT false NOT NULL,
    CONSTRAINT event_zones_access_mode_check CHECK ((access_mode = ANY (ARRAY['public'::text, 'membership_tier'::text, 'role_based'::text, 'whitelist'::text]))),
    CONSTRAINT event_zones_capacity_check CHECK ((capacity > 0)),
    CONSTRAINT event_zones_check CHECK (((access_mode = 'membership_tier'::text) = (membership_tier IS NOT NULL))),
    CONSTRAINT event_zones_check1 CHECK (((access_mode = 'role_based'::text) = (cardinality(allowed_roles) > 0))),
    CONSTRAINT event_zones_zone_type_check CHECK ((zone_type = ANY (ARRAY['reserved_seating'::text, 'ga_seated'::text, 'ga_standing'::text, 'vip_reserved'::text, 'vip_standing'::text])))
);

ALTER TABLE ONLY public.event_zones FORCE ROW LEVEL SECURITY;

CREATE TABLE public.events (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    venue_id uuid,
    slug text NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    category text NOT NULL,
    status text DEFAULT 'draft'::text NOT NULL,
    start_at timestamp with time zone NOT NULL,
    end_at timestamp with time zone NOT NULL,
    doors_at timestamp with time zone NOT NULL,
    sale_start_at timestamp with time zone NOT NULL,
    sale_end_at timestamp with time zone NOT NULL,
    rescheduled_at timestamp with time zone,
    capacity integer DEFAULT 0 NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    venue_name text NOT NULL,
    city text NOT NULL,
    country text NOT NULL,
    address text,
    timezone text NOT NULL,
    recurrence_group_id uuid,
    replaced_by_event_id uuid,
    postponement_reason text,
    cancellation_reason text,
    created_by uuid,
    dedupe_key text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    published_at timestamp with time zone,
    cancelled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    cover_image_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    CONSTRAINT events_cancellation_reason_check CHECK ((length(cancellation_reason) <= 500)),
    CONSTRAINT events_cancelled_with_reason CHECK (((status <> 'cancelled'::text) OR (COALESCE(cancellation_reason, ''::text) ~ '\S'::text))),
    CONSTRAINT events_capacity_check CHECK ((capacity >= 0)),
    CONSTRAINT events_category_check CHECK ((category ~ '^[a-z0-9](_?[a-z0-9]){0,39}$'::text)),
    CONSTRAINT events_check CHECK ((end_at >= (start_at + '00:01:00'::interval))),
    CONSTRAINT events_check1 CHECK ((doors_at <= start_at)),
    CONSTRAINT events_check2 CHECK ((sale_start_at < sale_end_at)),
    CONSTRAINT events_check3 CHECK (((sale_end_at - COALESCE(rescheduled_at, start_at)) <= (end_at - start_at))),
    CONSTRAINT events_check4 CHECK (((rescheduled_at IS NULL) OR (status = 'postponed'::text) OR (status = ANY (ARRAY['cancelled'::text, 'archived'::text])))),
    CONSTRAINT events_cover_image_ids_check CHECK ((cardinality(cover_image_ids) <= 10)),
    CONSTRAINT events_description_check CHECK (((length(description) >= 1) AND (length(description) <= 2000))),
    CONSTRAINT events_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT events_postponed_with_reason CHECK (((status <> 'postponed'::text) OR (COALESCE(postponement_reason, ''::text) ~ '\S'::text))),
    CONSTRAINT events_postponement_reason_check CHECK ((length(postponement_reason) <= 500)),
    CONSTRAINT events_slug_check CHECK ((slug ~ '^[a-z0-9](-?[a-z0-9]){0,99}$'::text)),
    CONSTRAINT events_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text, 'live'::text, 'ended'::text, 'cancelled'::text, 'postponed'::text, 'archived'::text])))
);

ALTER TABLE ONLY public.events FORCE ROW LEVEL SECURITY;

CREATE TABLE public.former_codes (
    organization_id uuid NOT NULL,
    code text NOT NULL,
    ticket_id uuid NOT NULL,
    event_id uuid NOT NULL,
    replaced_at timestamp with time zone DEFAULT app.clock() NOT NULL
);

ALTER TABLE ONLY public.former_codes FORCE ROW LEVEL SECURITY;

CREATE TABLE public.gates (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    venue_id uuid NOT NULL,
    gate_code text NOT NULL,
    name text NOT NULL,
    status text DEFAULT 'open'::text NOT NULL,
    capacity integer,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT gates_capacity_check CHECK ((capacity > 0)),
    CONSTRAINT gates_gate_code_check CHECK ((gate_code ~ '^[A-Z0-9][A-Z0-9_-]{0,39}$'::text)),
    CONSTRAINT gates_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT gates_status_check CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text])))
);

ALTER TABLE ONLY public.gates FORCE ROW LEVEL SECURITY;

CREATE TABLE public.idempotency_keys (
    organization_id uuid NOT NULL,
    principal text NOT NULL,
    route text NOT NULL,
    key text NOT NULL,
    body_hash bytea NOT NULL,
    status smallint,
    answer bytea,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT idempotency_keys_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);

ALTER TABLE ONLY public.idempotency_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.images (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    digest text NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    bytes integer NOT NULL,
    created_by uuid,
    attached_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT images_bytes_check CHECK ((bytes > 0)),
    CONSTRAINT images_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT images_height_check CHECK (((height >= 1) AND (height <= 12000))),
    CONSTRAINT images_width_check CHECK (((width >= 1) AND (width <= 12000)))
);

ALTER TABLE ONLY public.images FORCE ROW LEVEL SECURITY;

CREATE TABLE public.invitations (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    token_hash bytea NOT NULL,
    invited_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT invitations_check CHECK (((accepted_at IS NULL) OR (revoked_at IS NULL))),
    CONSTRAINT invitations_email_check CHECK ((((length(email) >= 3) AND (length(email) <= 254)) AND (email ~~ '%_@_%'::text))),
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'staff'::text, 'scanner'::text])))
);

ALTER TABLE ONLY public.invitations FORCE ROW LEVEL SECURITY;

CREATE TABLE public.layout_migrations (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    from_layout_id uuid NOT NULL,
    to_layout_id uuid NOT NULL,
    status text DEFAULT 'planned'::text NOT NULL,
    respond_by timestamp with time zone NOT NULL,
    planned_by uuid,
    approved_by uuid,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    applied_at timestamp with time zone,
    CONSTRAINT layout_migrations_check CHECK (((status = 'applied'::text) = (applied_at IS NOT NULL))),
    CONSTRAINT layout_migrations_status_check CHECK ((status = ANY (ARRAY['planned'::text, 'applied'::text, 'discarded'::text])))
);

ALTER TABLE ONLY public.layout_migrations FORCE ROW LEVEL SECURITY;

CREATE TABLE public.layouts (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    venue_id uuid,
    family_id uuid NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    status text DEFAULT 'draft'::text NOT NULL,
    total_capacity integer NOT NULL,
    seat_count integer NOT NULL,
    document bytea NOT NULL,
    geometry bytea NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT layouts_check CHECK (((seat_count >= 0) AND (seat_count <= total_capacity))),
    CONSTRAINT layouts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT layouts_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'archived'::text]))),
    CONSTRAINT layouts_total_capacity_check CHECK ((total_capacity > 0)),
    CONSTRAINT layouts_version_check CHECK ((version > 0))
);

ALTER TABLE ONLY public.layouts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.ledger_entries (
    organization_id uuid NOT NULL,
    transaction_id uuid NOT NULL,
    "position" smallint NOT NULL,
    account text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    CONSTRAINT ledger_entries_account_check CHECK ((account ~ '^[a-z]+(:[a-z]+)?$'::text)),
    CONSTRAINT ledger_entries_amount_check CHECK ((amount <> 0)),
    CONSTRAINT ledger_entries_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text))
);

ALTER TABLE ONLY public.ledger_entries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.ledger_transactions (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    kind text NOT NULL,
    source_id uuid NOT NULL,
    order_id uuid NOT NULL,
    event_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL
);

ALTER TABLE ONLY public.ledger_transactions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.magic_links (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    email text NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone
);

ALTER TABLE ONLY public.magic_links FORCE ROW LEVEL SECURITY;

CREATE TABLE public.mail_readers (
    organization_id uuid NOT NULL,
    email text NOT NULL,
    language text NOT NULL,
    CONSTRAINT mail_readers_email_check CHECK ((email = lower(email))),
    CONSTRAINT mail_readers_language_check CHECK ((language ~ '^[a-z]{2}$'::text))
);

ALTER TABLE ONLY public.mail_readers FORCE ROW LEVEL SECURITY;

CREATE TABLE public.mails (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    recipient text NOT NULL,
    subject text NOT NULL,
    body text,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    sent_at timestamp with time zone,
    last_error text,
    template text,
    about uuid,
    html text,
    sender_name text,
    reply_to text,
    enclosures jsonb DEFAULT '[]'::jsonb NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    refused_at timestamp with time zone
);

ALTER TABLE ONLY public.mails FORCE ROW LEVEL SECURITY;

CREATE TABLE public.memberships (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    user_id uuid NOT NULL,
    tier text NOT NULL,
    number text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    valid_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT memberships_check CHECK (((valid_until IS NULL) OR (valid_until > valid_from))),
    CONSTRAINT memberships_number_check CHECK (((length(number) >= 1) AND (length(number) <= 40))),
    CONSTRAINT memberships_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'revoked'::text]))),
    CONSTRAINT memberships_tier_check CHECK ((tier ~ '^[a-z0-9](_?[a-z0-9]){0,62}$'::text))
);

ALTER TABLE ONLY public.memberships FORCE ROW LEVEL SECURITY;

CREATE TABLE public.notice_recipients (
    organization_id uuid NOT NULL,
    notice_id uuid NOT NULL,
    email text NOT NULL,
    order_path text
);

ALTER TABLE ONLY public.notice_recipients FORCE ROW LEVEL SECURITY;

CREATE TABLE public.notices (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    template text NOT NULL,
    letter jsonb NOT NULL,
    total integer NOT NULL,
    posted integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT notices_check CHECK (((posted >= 0) AND (posted <= total))),
    CONSTRAINT notices_check1 CHECK (((finished_at IS NULL) OR (posted = total))),
    CONSTRAINT notices_total_check CHECK ((total > 0))
);

ALTER TABLE ONLY public.notices FORCE ROW LEVEL SECURITY;

CREATE TABLE public.order_lines (
    organization_id uuid NOT NULL,
    order_id uuid NOT NULL,
    "position" smallint NOT NULL,
    hold_id uuid NOT NULL,
    ticket_type_id uuid NOT NULL,
    name text NOT NULL,
    seat_id uuid,
    zone_id uuid,
    quantity integer NOT NULL,
    unit bigint NOT NULL,
    net bigint NOT NULL,
    counted boolean NOT NULL,
    attendee_name text,
    attendee_email text,
    membership_id uuid,
    CONSTRAINT order_lines_quantity_check CHECK (((quantity >= 1) AND (quantity <= 10)))
);

ALTER TABLE ONLY public.order_lines FORCE ROW LEVEL SECURITY;

CREATE TABLE public.order_refunds (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    order_id uuid NOT NULL,
    event_id uuid NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    fees text NOT NULL,
    ticket_ids uuid[] NOT NULL,
    reason text NOT NULL,
    batch boolean DEFAULT false NOT NULL,
    requested_by uuid,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT order_refunds_amount_check CHECK ((amount >= 0)),
    CONSTRAINT order_refunds_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT order_refunds_fees_check CHECK ((fees = ANY (ARRAY['keep'::text, 'return'::text]))),
    CONSTRAINT order_refunds_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
);

ALTER TABLE ONLY public.order_refunds FORCE ROW LEVEL SECURITY;

CREATE TABLE public.orders (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    user_id uuid NOT NULL,
    session_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    code text NOT NULL,
    secret_hash bytea NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    provider text NOT NULL,
    currency text NOT NULL,
    total bigint NOT NULL,
    quote jsonb NOT NULL,
    buyer_name text NOT NULL,
    buyer_email text NOT NULL,
    purchase_key text NOT NULL,
    body_hash bytea NOT NULL,
    reason text,
    consent_by timestamp with time zone,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    paid_at timestamp with time zone,
    CONSTRAINT orders_buyer_email_check CHECK (((length(buyer_email) >= 3) AND (length(buyer_email) <= 254))),
    CONSTRAINT orders_buyer_name_check CHECK (((length(buyer_name) >= 1) AND (length(buyer_name) <= 120))),
    CONSTRAINT orders_check CHECK (((status = ANY (ARRAY['paid'::text, 'partly_refunded'::text, 'refunded'::text])) = (paid_at IS NOT NULL))),
    CONSTRAINT orders_check1 CHECK (((status = 'needs_consent'::text) = (consent_by IS NOT NULL))),
    CONSTRAINT orders_code_check CHECK ((code ~ '^[2-9A-HJ-NP-Z]{8}$'::text)),
    CONSTRAINT orders_purchase_key_check CHECK (((length(purchase_key) >= 1) AND (length(purchase_key) <= 255))),
    CONSTRAINT orders_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'paid'::text, 'needs_consent'::text, 'cancelled'::text, 'partly_refunded'::text, 'refunded'::text]))),
    CONSTRAINT orders_total_check CHECK ((total >= 0))
)
WITH (fillfactor='80');

ALTER TABLE ONLY public.orders FORCE ROW LEVEL SECURITY;

CREATE TABLE public.organization_settings (
    organization_id uuid NOT NULL,
    currency text DEFAULT 'EUR'::text NOT NULL,
    locale text DEFAULT 'en'::text NOT NULL,
    timezone text DEFAULT 'UTC'::text NOT NULL,
    contact_email text,
    accent_color text DEFAULT '#0F5C4D'::text NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    staff_may_edit_venues boolean DEFAULT true NOT NULL,
    event_capacity_max integer DEFAULT 100000 NOT NULL,
    mail_sender_name text,
    mail_reply_to text,
    embed_origins text[] DEFAULT '{}'::text[] NOT NULL,
    ticket_price_max bigint,
    CONSTRAINT organization_settings_accent_color_check CHECK ((accent_color ~ '^#[0-9A-Fa-f]{6}$'::text)),
    CONSTRAINT organization_settings_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT organization_settings_embed_origins_check CHECK (((cardinality(embed_origins) <= 20) AND (array_position(embed_origins, NULL::text) IS NULL) AND (array_to_string(embed_origins, ' '::text) ~ '^(https?://[a-z0-9*.:-]+( |$))*$'::text))),
    CONSTRAINT organization_settings_event_capacity_max_check CHECK (((event_capacity_max >= 1) AND (event_capacity_max <= 1000000))),
    CONSTRAINT organization_settings_locale_check CHECK ((locale ~ '^[a-z]{2}(-[A-Z]{2})?$'::text)),
    CONSTRAINT organization_settings_mail_reply_to_check CHECK ((((length(mail_reply_to) >= 3) AND (length(mail_reply_to) <= 254)) AND (mail_reply_to ~~ '%_@_%'::text))),
    CONSTRAINT organization_settings_mail_sender_name_check CHECK (((length(mail_sender_name) >= 1) AND (length(mail_sender_name) <= 120))),
    CONSTRAINT organization_settings_ticket_price_max_check CHECK (((ticket_price_max >= 1) AND (ticket_price_max <= '99999999999'::bigint)))
);

ALTER TABLE ONLY public.organization_settings FORCE ROW LEVEL SECURITY;

CREATE TABLE public.organizations (
    id uuid NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT organizations_name_check CHECK (((length(name) >= 1) AND (length(name) <= 120))),
    CONSTRAINT organizations_slug_check CHECK ((slug ~ '^[a-z0-9](-?[a-z0-9]){1,62}$'::text)),
    CONSTRAINT organizations_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text])))
);

ALTER TABLE ONLY public.organizations FORCE ROW LEVEL SECURITY;

ALTER TABLE public.outbox ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.owed_reactions (
    organization_id uuid NOT NULL,
    consumer text NOT NULL,
    message_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    seq bigint NOT NULL,
    attempts integer NOT NULL,
    due_at timestamp with time zone NOT NULL,
    last_error text,
    parked_at timestamp with time zone
);

ALTER TABLE ONLY public.owed_reactions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.parked_payments (
    provider text NOT NULL,
    news_id text NOT NULL,
    kind text NOT NULL,
    reason text NOT NULL,
    said jsonb NOT NULL,
    received_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT parked_payments_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 200))),
    CONSTRAINT parked_payments_news_id_check CHECK (((length(news_id) >= 1) AND (length(news_id) <= 200)))
);

CREATE TABLE public.participations (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    join_id uuid NOT NULL,
    active boolean NOT NULL,
    said_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.participations FORCE ROW LEVEL SECURITY;

CREATE TABLE public.payment_attempts (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    order_id uuid NOT NULL,
    provider text NOT NULL,
    method text,
    amount bigint NOT NULL,
    currency text NOT NULL,
    status text DEFAULT 'started'::text NOT NULL,
    surplus boolean DEFAULT false NOT NULL,
    provider_ref text,
    client_secret text,
    failure_code text,
    failure text,
    refunded bigint DEFAULT 0 NOT NULL,
    asked integer DEFAULT 0 NOT NULL,
    ask_at timestamp with time zone NOT NULL,
    give_up_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT payment_attempts_amount_check CHECK ((amount >= 0)),
    CONSTRAINT payment_attempts_check CHECK (((NOT surplus) OR (status = 'captured'::text))),
    CONSTRAINT payment_attempts_client_secret_check CHECK ((length(client_secret) <= 500)),
    CONSTRAINT payment_attempts_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT payment_attempts_method_check CHECK ((length(method) <= 200)),
    CONSTRAINT payment_attempts_never_overrefunded CHECK (((refunded >= 0) AND (refunded <=
CASE
    WHEN (status = 'captured'::text) THEN amount
    ELSE (0)::bigint
END))),
    CONSTRAINT payment_attempts_provider_check CHECK ((provider = ANY (ARRAY['free'::text, 'test'::text, 'stripe'::text]))),
    CONSTRAINT payment_attempts_provider_ref_check CHECK ((length(provider_ref) <= 200)),
    CONSTRAINT payment_attempts_status_check CHECK ((status = ANY (ARRAY['started'::text, 'pending'::text, 'captured'::text, 'failed'::text, 'unknown'::text, 'abandoned'::text])))
)
WITH (fillfactor='80');

ALTER TABLE ONLY public.payment_attempts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.platform_sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone
);

CREATE TABLE public.platform_users (
    id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    password_hash text NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT platform_users_email_check CHECK ((((length(email) >= 3) AND (length(email) <= 254)) AND (email ~~ '%_@_%'::text))),
    CONSTRAINT platform_users_name_check CHECK (((length(name) >= 1) AND (length(name) <= 120))),
    CONSTRAINT platform_users_role_check CHECK ((role = ANY (ARRAY['super_admin'::text, 'tenant_manager'::text]))),
    CONSTRAINT platform_users_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);

CREATE TABLE public.pools (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    kind text NOT NULL,
    ref_id uuid NOT NULL,
    capacity integer NOT NULL,
    held integer DEFAULT 0 NOT NULL,
    sold integer DEFAULT 0 NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    shrinks_to integer,
    day_peak integer DEFAULT 0 NOT NULL,
    CONSTRAINT pools_capacity_check CHECK ((capacity >= 0)),
    CONSTRAINT pools_check CHECK (((shrinks_to >= 0) AND (shrinks_to <= capacity))),
    CONSTRAINT pools_day_peak_check CHECK ((day_peak >= 0)),
    CONSTRAINT pools_held_check CHECK ((held >= 0)),
    CONSTRAINT pools_kind_check CHECK ((kind = ANY (ARRAY['zone'::text, 'ticket_type'::text, 'event'::text]))),
    CONSTRAINT pools_never_oversold CHECK ((((held + sold) + day_peak) <= capacity)),
    CONSTRAINT pools_sold_check CHECK ((sold >= 0))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.pools FORCE ROW LEVEL SECURITY;

CREATE TABLE public.processed_messages (
    organization_id uuid NOT NULL,
    consumer text NOT NULL,
    message_id uuid NOT NULL,
    processed_at timestamp with time zone DEFAULT app.clock() NOT NULL
);

ALTER TABLE ONLY public.processed_messages FORCE ROW LEVEL SECURITY;

CREATE TABLE public.promo_codes (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    code text NOT NULL,
    kind text NOT NULL,
    basis_points integer,
    amount integer,
    ticket_type_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    max_uses integer,
    uses integer DEFAULT 0 NOT NULL,
    budget bigint,
    spent bigint DEFAULT 0 NOT NULL,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    active boolean DEFAULT true NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT promo_codes_amount_check CHECK (((amount >= 1) AND (amount <= 99999999))),
    CONSTRAINT promo_codes_basis_points_check CHECK (((basis_points >= 1) AND (basis_points <= 10000))),
    CONSTRAINT promo_codes_budget_check CHECK ((budget > 0)),
    CONSTRAINT promo_codes_check CHECK (((kind = 'percent'::text) = (basis_points IS NOT NULL))),
    CONSTRAINT promo_codes_check1 CHECK (((kind = 'fixed'::text) = (amount IS NOT NULL))),
    CONSTRAINT promo_codes_check2 CHECK ((valid_from < valid_until)),
    CONSTRAINT promo_codes_code_check CHECK ((code ~ '^[A-Z0-9][A-Z0-9-]{2,39}$'::text)),
    CONSTRAINT promo_codes_kind_check CHECK ((kind = ANY (ARRAY['percent'::text, 'fixed'::text, 'access'::text]))),
    CONSTRAINT promo_codes_max_uses_check CHECK ((max_uses > 0)),
    CONSTRAINT promo_codes_never_overused CHECK (((uses >= 0) AND (uses <= max_uses))),
    CONSTRAINT promo_codes_within_budget CHECK (((spent >= 0) AND (spent <= budget)))
);

ALTER TABLE ONLY public.promo_codes FORCE ROW LEVEL SECURITY;

CREATE TABLE public.promo_uses (
    organization_id uuid NOT NULL,
    checkout_id uuid NOT NULL,
    promo_code_id uuid NOT NULL,
    amount bigint NOT NULL,
    status text DEFAULT 'taken'::text NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT promo_uses_amount_check CHECK ((amount >= 0)),
    CONSTRAINT promo_uses_status_check CHECK ((status = ANY (ARRAY['taken'::text, 'returned'::text])))
);

ALTER TABLE ONLY public.promo_uses FORCE ROW LEVEL SECURITY;

CREATE TABLE public.public_events (
    event_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    slug text NOT NULL,
    title text NOT NULL,
    description text NOT NULL,
    category text NOT NULL,
    status text NOT NULL,
    venue_name text NOT NULL,
    city text NOT NULL,
    city_norm text NOT NULL,
    country text NOT NULL,
    address text,
    timezone text NOT NULL,
    start_at timestamp with time zone NOT NULL,
    end_at timestamp with time zone NOT NULL,
    first_start_at timestamp with time zone NOT NULL,
    rescheduled_at timestamp with time zone,
    sale_start_at timestamp with time zone NOT NULL,
    sale_end_at timestamp with time zone NOT NULL,
    sold_out boolean DEFAULT false NOT NULL,
    capacity integer NOT NULL,
    published_at timestamp with time zone NOT NULL,
    search tsvector NOT NULL,
    cover_image_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    changed_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    owner_id uuid,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    active_participants integer DEFAULT 0 NOT NULL,
    has_tickets boolean DEFAULT true NOT NULL,
    selling tstzmultirange,
    CONSTRAINT public_events_active_participants_check CHECK ((active_participants >= 0)),
    CONSTRAINT public_events_status_check CHECK ((status = ANY (ARRAY['published'::text, 'live'::text, 'postponed'::text])))
);
ALTER TABLE ONLY public.public_events ALTER COLUMN search SET STATISTICS 500;

ALTER TABLE ONLY public.public_events FORCE ROW LEVEL SECURITY;

CREATE TABLE public.public_ranks (
    event_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    since_epoch integer NOT NULL,
    until_epoch integer DEFAULT 2147483647 NOT NULL,
    rank double precision NOT NULL,
    start_at timestamp with time zone NOT NULL,
    city_norm text NOT NULL,
    category text NOT NULL,
    CONSTRAINT public_ranks_check CHECK ((since_epoch < until_epoch))
);

ALTER TABLE ONLY public.public_ranks FORCE ROW LEVEL SECURITY;

CREATE VIEW public.shows_of_any_house WITH (security_invoker='true') AS
 SELECT p.event_id AS id,
    p.organization_id,
    o.slug AS organization,
    o.name AS organization_name,
    p.slug,
    p.title,
    p.description,
    p.category,
    'published'::text AS status,
    p.status AS phase,
        CASE
            WHEN ((p.status = 'postponed'::text) AND (p.rescheduled_at IS NULL)) THEN 'suspended'::text
            WHEN (app.clock() < p.sale_start_at) THEN 'upcoming'::text
            WHEN (app.clock() > p.sale_end_at) THEN 'closed'::text
            WHEN (NOT p.has_tickets) THEN 'upcoming'::text
            WHEN p.sold_out THEN 'sold_out'::text
            WHEN ((p.selling IS NULL) OR (p.selling @> app.clock())) THEN 'on_sale'::text
            WHEN (app.clock() < upper(p.selling)) THEN 'upcoming'::text
            ELSE 'sold_out'::text
        END AS sale_status,
    (p.sold_out OR COALESCE((p.has_tickets AND (upper(p.selling) < app.clock()) AND (app.clock() <= p.sale_end_at)), false)) AS sold_out,
    p.venue_name,
    p.city,
    p.city_norm,
    p.country,
    p.address,
    p.timezone,
    p.start_at AS start_time,
    p.end_at AS end_time,
    p.first_start_at AS first_start_time,
    p.rescheduled_at,
    p.sale_start_at,
    p.sale_end_at,
    p.capacity,
    p.cover_image_ids,
    p.published_at,
    p.changed_at,
    p.search,
    (o.status = 'active'::text) AS house_is_open,
    p.owner_id,
    p.created_at,
    p.active_participants,
    p.has_tickets,
    p.selling,
    p.sold_out AS all_sold
   FROM (public.public_events p
     JOIN public.organizations o ON ((o.id = p.organization_id)));

CREATE VIEW public.public_shows WITH (security_invoker='true') AS
 SELECT id,
    organization_id,
    organization,
    organization_name,
    slug,
    title,
    description,
    category,
    status,
    phase,
    sale_status,
    sold_out,
    venue_name,
    city,
    city_norm,
    country,
    address,
    timezone,
    start_time,
    end_time,
    first_start_time,
    rescheduled_at,
    sale_start_at,
    sale_end_at,
    capacity,
    cover_image_ids,
    published_at,
    changed_at,
    search,
    house_is_open,
    owner_id,
    created_at,
    active_participants,
    has_tickets,
    selling,
    all_sold
   FROM public.shows_of_any_house
  WHERE house_is_open;

CREATE TABLE public.queue_entries (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    seq integer NOT NULL,
    place integer,
    user_id uuid NOT NULL,
    status text NOT NULL,
    joined_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    admitted_at timestamp with time zone,
    ended_at timestamp with time zone,
    cooldown_until timestamp with time zone,
    every_s smallint DEFAULT 240 NOT NULL,
    absent boolean DEFAULT false NOT NULL,
    promo_code text,
    is_buyer boolean DEFAULT false NOT NULL,
    CONSTRAINT queue_entries_check CHECK (((status <> 'admitted'::text) OR (admitted_at IS NOT NULL))),
    CONSTRAINT queue_entries_every_s_check CHECK ((every_s > 0)),
    CONSTRAINT queue_entries_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'admitted'::text, 'expired'::text, 'left'::text, 'done'::text])))
)
WITH (fillfactor='80');

ALTER TABLE ONLY public.queue_entries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.refund_batches (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    status text DEFAULT 'running'::text NOT NULL,
    orders integer NOT NULL,
    reason text NOT NULL,
    look_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT refund_batches_check CHECK (((finished_at IS NOT NULL) = (status = 'done'::text))),
    CONSTRAINT refund_batches_orders_check CHECK ((orders > 0)),
    CONSTRAINT refund_batches_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
    CONSTRAINT refund_batches_status_check CHECK ((status = ANY (ARRAY['running'::text, 'done'::text])))
);

ALTER TABLE ONLY public.refund_batches FORCE ROW LEVEL SECURITY;

CREATE TABLE public.refund_failures (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    order_id uuid NOT NULL,
    error text NOT NULL,
    tries integer DEFAULT 1 NOT NULL,
    try_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.refund_failures FORCE ROW LEVEL SECURITY;

CREATE TABLE public.refunds (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    attempt_id uuid NOT NULL,
    order_id uuid NOT NULL,
    event_id uuid NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    status text DEFAULT 'requested'::text NOT NULL,
    reason text NOT NULL,
    provider_ref text,
    failure text,
    asked integer DEFAULT 0 NOT NULL,
    ask_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    requested_by uuid,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    tries integer DEFAULT 1 NOT NULL,
    paid_outside text,
    CONSTRAINT refunds_amount_check CHECK ((amount > 0)),
    CONSTRAINT refunds_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT refunds_outside CHECK (((paid_outside IS NULL) OR (status = 'done'::text))),
    CONSTRAINT refunds_paid_outside_check CHECK (((length(paid_outside) >= 1) AND (length(paid_outside) <= 500))),
    CONSTRAINT refunds_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
    CONSTRAINT refunds_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'unknown'::text, 'done'::text, 'failed'::text]))),
    CONSTRAINT refunds_tries_check CHECK ((tries > 0))
);

ALTER TABLE ONLY public.refunds FORCE ROW LEVEL SECURITY;

CREATE TABLE public.scan_counts (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    day date NOT NULL,
    kind text NOT NULL,
    ref_id uuid NOT NULL,
    inside integer DEFAULT 0 NOT NULL,
    entered integer DEFAULT 0 NOT NULL,
    places integer DEFAULT 0 NOT NULL,
    CONSTRAINT scan_counts_entered_check CHECK ((entered >= 0)),
    CONSTRAINT scan_counts_inside_check CHECK ((inside >= 0)),
    CONSTRAINT scan_counts_kind_check CHECK ((kind = ANY (ARRAY['gate'::text, 'zone'::text, 'event'::text])))
)
WITH (fillfactor='50');

ALTER TABLE ONLY public.scan_counts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.scan_devices (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    name text NOT NULL,
    gate_ids uuid[] NOT NULL,
    rights text[] NOT NULL,
    code_hash bytea,
    code_expires_at timestamp with time zone,
    token_hash bytea,
    sealed_key bytea,
    paired_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_seen_at timestamp with time zone,
    battery smallint,
    app_version text,
    clock_offset_s integer,
    created_by uuid,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT scan_devices_app_version_check CHECK ((length(app_version) <= 40)),
    CONSTRAINT scan_devices_battery_check CHECK (((battery >= 0) AND (battery <= 100))),
    CONSTRAINT scan_devices_check CHECK ((((token_hash IS NULL) = (paired_at IS NULL)) AND ((token_hash IS NULL) = (sealed_key IS NULL)))),
    CONSTRAINT scan_devices_gate_ids_check CHECK (((cardinality(gate_ids) >= 1) AND (cardinality(gate_ids) <= 50))),
    CONSTRAINT scan_devices_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT scan_devices_rights_check CHECK ((rights <@ ARRAY['scan'::text, 'search'::text, 'override'::text]))
)
WITH (fillfactor='80');

ALTER TABLE ONLY public.scan_devices FORCE ROW LEVEL SECURITY;

CREATE TABLE public.scan_incidents (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    ticket_id uuid NOT NULL,
    kind text NOT NULL,
    first_scan_id uuid,
    second_scan_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    resolved_at timestamp with time zone,
    resolved_by uuid,
    note text,
    void_at timestamp with time zone,
    CONSTRAINT scan_incidents_check CHECK (((resolved_at IS NULL) = (note IS NULL))),
    CONSTRAINT scan_incidents_check1 CHECK (((first_scan_id IS NULL) = (void_at IS NOT NULL))),
    CONSTRAINT scan_incidents_note_check CHECK (((length(note) >= 1) AND (length(note) <= 500)))
);

ALTER TABLE ONLY public.scan_incidents FORCE ROW LEVEL SECURITY;

CREATE TABLE public.scans (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    ticket_id uuid,
    device_id uuid NOT NULL,
    counter bigint,
    gate_id uuid NOT NULL,
    direction text NOT NULL,
    admitted boolean NOT NULL,
    reason text,
    override text,
    test boolean NOT NULL,
    offline boolean DEFAULT false NOT NULL,
    at timestamp with time zone NOT NULL,
    day date NOT NULL,
    version integer,
    place_no integer,
    undone_at timestamp with time zone,
    undone_reason text,
    recorded_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT scans_check CHECK ((admitted OR (reason IS NOT NULL))),
    CONSTRAINT scans_check1 CHECK (((NOT admitted) OR (ticket_id IS NOT NULL))),
    CONSTRAINT scans_counter_check CHECK ((counter >= 0)),
    CONSTRAINT scans_direction_check CHECK ((direction = ANY (ARRAY['in'::text, 'out'::text])))
);

ALTER TABLE ONLY public.scans FORCE ROW LEVEL SECURITY;

CREATE TABLE public.seat_groups (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    layout_id uuid NOT NULL,
    group_key text NOT NULL,
    group_type text NOT NULL,
    sold_as text NOT NULL,
    ordinals integer[] NOT NULL,
    CONSTRAINT seat_groups_group_type_check CHECK ((group_type = ANY (ARRAY['wheelchair_pair'::text, 'family_block'::text, 'vip_table'::text, 'reserved_block'::text]))),
    CONSTRAINT seat_groups_ordinals_check CHECK ((cardinality(ordinals) > 0)),
    CONSTRAINT seat_groups_sold_as_check CHECK ((sold_as = ANY (ARRAY['whole'::text, 'seats'::text])))
);

ALTER TABLE ONLY public.seat_groups FORCE ROW LEVEL SECURITY;

CREATE TABLE public.seat_holds (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    basket_id uuid NOT NULL,
    user_id uuid NOT NULL,
    seat_id uuid,
    zone_id uuid,
    ticket_type_id uuid,
    quantity integer DEFAULT 1 NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    held_until timestamp with time zone NOT NULL,
    source text NOT NULL,
    network text,
    keyed boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    attempt_id uuid,
    frozen_at timestamp with time zone,
    held_before timestamp with time zone,
    CONSTRAINT seat_holds_place CHECK (
CASE
    WHEN (seat_id IS NOT NULL) THEN ((zone_id IS NOT NULL) AND (ticket_type_id IS NULL) AND (quantity = 1))
    ELSE ((zone_id IS NOT NULL) OR (ticket_type_id IS NOT NULL))
END),
    CONSTRAINT seat_holds_quantity_check CHECK ((quantity > 0)),
    CONSTRAINT seat_holds_source_check CHECK ((source = ANY (ARRAY['web'::text, 'scanner'::text, 'waitlist'::text]))),
    CONSTRAINT seat_holds_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'converted'::text, 'expired'::text, 'cancelled'::text])))
)
WITH (fillfactor='80');

ALTER TABLE ONLY public.seat_holds FORCE ROW LEVEL SECURITY;

CREATE TABLE public.seat_moves (
    organization_id uuid NOT NULL,
    migration_id uuid NOT NULL,
    ticket_id uuid NOT NULL,
    from_seat_id uuid NOT NULL,
    to_seat_id uuid,
    kind text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    CONSTRAINT seat_moves_check CHECK (((kind = 'unplaced'::text) = (to_seat_id IS NULL))),
    CONSTRAINT seat_moves_kind_check CHECK ((kind = ANY (ARRAY['same'::text, 'equal_or_better'::text, 'unplaced'::text])))
);

ALTER TABLE ONLY public.seat_moves FORCE ROW LEVEL SECURITY;

CREATE TABLE public.seating_policies (
    organization_id uuid NOT NULL,
    "values" jsonb DEFAULT '{}'::jsonb NOT NULL,
    mandatory text[] DEFAULT '{}'::text[] NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL
);

ALTER TABLE ONLY public.seating_policies FORCE ROW LEVEL SECURITY;

CREATE TABLE public.seats (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    layout_id uuid NOT NULL,
    ordinal integer NOT NULL,
    seat_key text NOT NULL,
    zone_id uuid NOT NULL,
    section text NOT NULL,
    row_label text NOT NULL,
    number text NOT NULL,
    category text NOT NULL,
    price_category text,
    companion_of uuid,
    CONSTRAINT seats_category_check CHECK ((category = ANY (ARRAY['standard'::text, 'wheelchair'::text, 'companion'::text, 'restricted_view'::text, 'aisle'::text]))),
    CONSTRAINT seats_check CHECK (((companion_of IS NULL) OR (category = 'companion'::text))),
    CONSTRAINT seats_ordinal_check CHECK ((ordinal >= 0))
);

ALTER TABLE ONLY public.seats FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sessions (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    method text NOT NULL,
    ip text,
    user_agent text,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    CONSTRAINT sessions_method_check CHECK ((method = ANY (ARRAY['password'::text, 'guest'::text, 'magic_link'::text, 'invitation'::text])))
);

ALTER TABLE ONLY public.sessions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.test_charges (
    organization_id uuid NOT NULL,
    key uuid NOT NULL,
    kind text NOT NULL,
    method text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    status text NOT NULL,
    calls integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT test_charges_kind_check CHECK ((kind = ANY (ARRAY['charge'::text, 'refund'::text]))),
    CONSTRAINT test_charges_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'captured'::text, 'declined'::text, 'cancelled'::text, 'refunded'::text])))
);

ALTER TABLE ONLY public.test_charges FORCE ROW LEVEL SECURITY;

CREATE TABLE public.ticket_counters (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    last integer NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY public.ticket_counters FORCE ROW LEVEL SECURITY;

CREATE TABLE public.ticket_keys (
    organization_id uuid NOT NULL,
    key_id smallint NOT NULL,
    public_key bytea NOT NULL,
    sealed_key bytea NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    retired_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT ticket_keys_check CHECK (((revoked_at IS NULL) OR (retired_at IS NOT NULL))),
    CONSTRAINT ticket_keys_key_id_check CHECK ((key_id > 0)),
    CONSTRAINT ticket_keys_public_key_check CHECK ((length(public_key) = 32))
);

ALTER TABLE ONLY public.ticket_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.ticket_moves (
    organization_id uuid NOT NULL,
    ticket_id uuid NOT NULL,
    migration_id uuid NOT NULL,
    event_id uuid NOT NULL,
    from_place text NOT NULL,
    to_place text,
    respond_by timestamp with time zone NOT NULL,
    answer text,
    answered_at timestamp with time zone,
    CONSTRAINT ticket_moves_answer_check CHECK ((answer = ANY (ARRAY['accepted'::text, 'refunded'::text]))),
    CONSTRAINT ticket_moves_check CHECK (((answer IS NULL) = (answered_at IS NULL)))
);

ALTER TABLE ONLY public.ticket_moves FORCE ROW LEVEL SECURITY;

CREATE TABLE public.ticket_presence (
    organization_id uuid NOT NULL,
    ticket_id uuid NOT NULL,
    event_id uuid NOT NULL,
    version integer NOT NULL,
    inside boolean NOT NULL,
    day date NOT NULL,
    entries_today integer NOT NULL,
    entries integer NOT NULL,
    at timestamp with time zone NOT NULL,
    gate_id uuid NOT NULL,
    place_no integer,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT ticket_presence_entries_check CHECK ((entries >= 0)),
    CONSTRAINT ticket_presence_entries_today_check CHECK ((entries_today >= 0))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.ticket_presence FORCE ROW LEVEL SECURITY;

CREATE TABLE public.tickets (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    order_id uuid NOT NULL,
    ticket_type_id uuid NOT NULL,
    seat_id uuid,
    zone_id uuid,
    number text NOT NULL,
    code text NOT NULL,
    nonce bytea NOT NULL,
    holder_name text NOT NULL,
    holder_email text NOT NULL,
    holder_user_id uuid,
    membership_id uuid,
    status text DEFAULT 'valid'::text NOT NULL,
    reason text,
    version integer DEFAULT 1 NOT NULL,
    issued_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    transferred_at timestamp with time zone,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    voided_at timestamp with time zone,
    CONSTRAINT tickets_check CHECK (((voided_at IS NOT NULL) = (status = ANY (ARRAY['cancelled'::text, 'refunded'::text])))),
    CONSTRAINT tickets_code_check CHECK ((code ~ '^[2-9A-HJ-NP-Z]{8}$'::text)),
    CONSTRAINT tickets_nonce_check CHECK ((length(nonce) = 8)),
    CONSTRAINT tickets_status_check CHECK ((status = ANY (ARRAY['valid'::text, 'used'::text, 'cancelled'::text, 'refunded'::text])))
)
WITH (fillfactor='85');

ALTER TABLE ONLY public.tickets FORCE ROW LEVEL SECURITY;

CREATE TABLE public.users (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    email text,
    name text NOT NULL,
    role text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    password_hash text,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT users_check CHECK (((email IS NOT NULL) OR (role = 'customer'::text))),
    CONSTRAINT users_email_check CHECK ((((length(email) >= 3) AND (length(email) <= 254)) AND (email ~~ '%_@_%'::text))),
    CONSTRAINT users_name_check CHECK (((length(name) >= 1) AND (length(name) <= 120))),
    CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'staff'::text, 'scanner'::text, 'customer'::text]))),
    CONSTRAINT users_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);

ALTER TABLE ONLY public.users FORCE ROW LEVEL SECURITY;

CREATE TABLE public.venues (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    timezone text NOT NULL,
    address text,
    address_parts jsonb DEFAULT '{}'::jsonb NOT NULL,
    city text NOT NULL,
    country text NOT NULL,
    latitude double precision,
    longitude double precision,
    max_capacity integer DEFAULT 0 NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    stands_for text,
    CONSTRAINT venues_address_check CHECK (((length(address) >= 5) AND (length(address) <= 500))),
    CONSTRAINT venues_check CHECK (((kind = 'virtual'::text) OR (address IS NOT NULL))),
    CONSTRAINT venues_check1 CHECK (((latitude IS NULL) = (longitude IS NULL))),
    CONSTRAINT venues_city_check CHECK (((length(city) >= 1) AND (length(city) <= 50))),
    CONSTRAINT venues_country_check CHECK (((length(country) >= 2) AND (length(country) <= 56))),
    CONSTRAINT venues_kind_check CHECK ((kind = ANY (ARRAY['physical'::text, 'virtual'::text]))),
    CONSTRAINT venues_latitude_check CHECK (((latitude >= ('-90'::integer)::double precision) AND (latitude <= (90)::double precision))),
    CONSTRAINT venues_longitude_check CHECK (((longitude >= ('-180'::integer)::double precision) AND (longitude <= (180)::double precision))),
    CONSTRAINT venues_max_capacity_check CHECK ((max_capacity >= 0)),
    CONSTRAINT venues_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT venues_slug_check CHECK ((slug ~ '^[a-z0-9](-?[a-z0-9]){0,99}$'::text))
);

ALTER TABLE ONLY public.venues FORCE ROW LEVEL SECURITY;

CREATE TABLE public.waitlists (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    window_s integer DEFAULT 86400 NOT NULL,
    next_seq bigint DEFAULT 1 NOT NULL,
    layout_id uuid,
    run_starts integer[] DEFAULT '{}'::integer[] NOT NULL,
    whole_seats integer[] DEFAULT '{}'::integer[] NOT NULL,
    chair_seats integer[] DEFAULT '{}'::integer[] NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT waitlists_window_s_check CHECK (((window_s >= 900) AND (window_s <= 604800)))
);

ALTER TABLE ONLY public.waitlists FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_deliveries (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    message_id uuid NOT NULL,
    type text NOT NULL,
    body text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    next_try_at timestamp with time zone,
    claimed_until timestamp with time zone,
    tried_at timestamp with time zone,
    response_status smallint,
    response_body text,
    error text,
    duration_ms integer,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT webhook_deliveries_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT webhook_deliveries_check CHECK (((status = 'pending'::text) = (next_try_at IS NOT NULL))),
    CONSTRAINT webhook_deliveries_failures_check CHECK ((failures >= 0)),
    CONSTRAINT webhook_deliveries_response_body_check CHECK ((length(response_body) <= 2048)),
    CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.webhook_deliveries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhooks (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    url text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    events text[] NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    disabled_because text,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_secret_until timestamp with time zone,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    updated_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT webhooks_check CHECK (((NOT enabled) OR (disabled_because IS NULL))),
    CONSTRAINT webhooks_check1 CHECK (((failures = 0) = (failing_since IS NULL))),
    CONSTRAINT webhooks_check2 CHECK (((previous_secret IS NULL) = (previous_secret_until IS NULL))),
    CONSTRAINT webhooks_description_check CHECK ((length(description) <= 200)),
    CONSTRAINT webhooks_disabled_because_check CHECK ((disabled_because = ANY (ARRAY['gone'::text, 'failing'::text]))),
    CONSTRAINT webhooks_events_check CHECK (((cardinality(events) >= 1) AND (cardinality(events) <= 50))),
    CONSTRAINT webhooks_failures_check CHECK ((failures >= 0)),
    CONSTRAINT webhooks_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000)))
);

ALTER TABLE ONLY public.webhooks FORCE ROW LEVEL SECURITY;

CREATE TABLE public.zone_guests (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    zone_id uuid NOT NULL,
    email text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    added_by uuid,
    created_at timestamp with time zone DEFAULT app.clock() NOT NULL,
    CONSTRAINT zone_guests_email_check CHECK (((email = lower(email)) AND ((length(email) >= 3) AND (length(email) <= 254)))),
    CONSTRAINT zone_guests_name_check CHECK ((length(name) <= 120))
);

ALTER TABLE ONLY public.zone_guests FORCE ROW LEVEL SECURITY;

CREATE TABLE public.zones (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    layout_id uuid NOT NULL,
    "position" integer NOT NULL,
    zone_key text NOT NULL,
    name text NOT NULL,
    zone_type text NOT NULL,
    capacity integer NOT NULL,
    access_mode text NOT NULL,
    membership_tier text,
    allowed_roles text[] DEFAULT '{}'::text[] NOT NULL,
    price_category text,
    CONSTRAINT zones_access_mode_check CHECK ((access_mode = ANY (ARRAY['public'::text, 'membership_tier'::text, 'role_based'::text, 'whitelist'::text]))),
    CONSTRAINT zones_capacity_check CHECK ((capacity > 0)),
    CONSTRAINT zones_check CHECK (((access_mode = 'membership_tier'::text) = (membership_tier IS NOT NULL))),
    CONSTRAINT zones_check1 CHECK (((access_mode = 'role_based'::text) = (cardinality(allowed_roles) > 0))),
    CONSTRAINT zones_zone_type_check CHECK ((zone_type = ANY (ARRAY['reserved_seating'::text, 'ga_seated'::text, 'ga_standing'::text, 'vip_reserved'::text, 'vip_standing'::text])))
);

ALTER TABLE ONLY public.zones FORCE ROW LEVEL SECURITY;

ALTER TABLE ONLY public.audit_log ATTACH PARTITION public.audit_log_default DEFAULT;

ALTER TABLE ONLY jobs.queue ALTER COLUMN id SET DEFAULT nextval('jobs.queue_id_seq'::regclass);

ALTER TABLE ONLY jobs.schedules ALTER COLUMN id SET DEFAULT nextval('jobs.schedules_id_seq'::regclass);

ALTER TABLE ONLY jobs.statistics ALTER COLUMN id SET DEFAULT nextval('jobs.statistics_id_seq'::regclass);

ALTER TABLE ONLY app.functions
    ADD CONSTRAINT functions_pkey PRIMARY KEY (name);

ALTER TABLE ONLY app.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);

ALTER TABLE ONLY jobs.history
    ADD CONSTRAINT history_pkey PRIMARY KEY (id);

ALTER TABLE ONLY jobs.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (id);

ALTER TABLE ONLY jobs.schedules
    ADD CONSTRAINT schedules_expression_entrypoint_key UNIQUE (expression, entrypoint);

ALTER TABLE ONLY jobs.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (id);

ALTER TABLE ONLY jobs.statistics
    ADD CONSTRAINT statistics_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (organization_id, created_at, id);

ALTER TABLE ONLY public.audit_log_default
    ADD CONSTRAINT audit_log_default_pkey PRIMARY KEY (organization_id, created_at, id);

ALTER TABLE ONLY public.charge_lists
    ADD CONSTRAINT charge_lists_pkey PRIMARY KEY (organization_id, scope_id);

ALTER TABLE ONLY public.checkout_items
    ADD CONSTRAINT checkout_items_pkey PRIMARY KEY (organization_id, session_id, "position");

ALTER TABLE ONLY public.checkout_sessions
    ADD CONSTRAINT checkout_sessions_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.day_places
    ADD CONSTRAINT day_places_pkey PRIMARY KEY (organization_id, event_id, kind, ref_id, ticket_type_id);

ALTER TABLE ONLY public.event_directory
    ADD CONSTRAINT event_directory_pkey PRIMARY KEY (event_id);

ALTER TABLE ONLY public.event_layouts
    ADD CONSTRAINT event_layouts_pkey PRIMARY KEY (organization_id, event_id);

ALTER TABLE ONLY public.event_seats
    ADD CONSTRAINT event_seats_pkey PRIMARY KEY (organization_id, event_id, seat_id);

ALTER TABLE ONLY public.event_stats
    ADD CONSTRAINT event_stats_pkey PRIMARY KEY (organization_id, event_id);

ALTER TABLE ONLY public.event_zones
    ADD CONSTRAINT event_zones_pkey PRIMARY KEY (organization_id, event_id, zone_id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_id_key UNIQUE (id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_slug UNIQUE (organization_id, slug);

ALTER TABLE ONLY public.former_codes
    ADD CONSTRAINT former_codes_pkey PRIMARY KEY (organization_id, code);

ALTER TABLE ONLY public.gates
    ADD CONSTRAINT gates_id_key UNIQUE (id);

ALTER TABLE ONLY public.gates
    ADD CONSTRAINT gates_organization_id_venue_id_gate_code_key UNIQUE (organization_id, venue_id, gate_code);

ALTER TABLE ONLY public.gates
    ADD CONSTRAINT gates_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (organization_id, principal, route, key);

ALTER TABLE ONLY public.images
    ADD CONSTRAINT images_digest UNIQUE (organization_id, digest);

ALTER TABLE ONLY public.images
    ADD CONSTRAINT images_id_key UNIQUE (id);

ALTER TABLE ONLY public.images
    ADD CONSTRAINT images_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.layout_migrations
    ADD CONSTRAINT layout_migrations_id_key UNIQUE (id);

ALTER TABLE ONLY public.layout_migrations
    ADD CONSTRAINT layout_migrations_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.layouts
    ADD CONSTRAINT layouts_id_key UNIQUE (id);

ALTER TABLE ONLY public.layouts
    ADD CONSTRAINT layouts_organization_id_family_id_version_key UNIQUE (organization_id, family_id, version);

ALTER TABLE ONLY public.layouts
    ADD CONSTRAINT layouts_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.ledger_entries
    ADD CONSTRAINT ledger_entries_pkey PRIMARY KEY (organization_id, transaction_id, "position");

ALTER TABLE ONLY public.ledger_transactions
    ADD CONSTRAINT ledger_transactions_organization_id_source_id_kind_key UNIQUE (organization_id, source_id, kind);

ALTER TABLE ONLY public.ledger_transactions
    ADD CONSTRAINT ledger_transactions_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.magic_links
    ADD CONSTRAINT magic_links_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.magic_links
    ADD CONSTRAINT magic_links_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.mail_readers
    ADD CONSTRAINT mail_readers_pkey PRIMARY KEY (organization_id, email);

ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_id_key UNIQUE (id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_organization_id_number_key UNIQUE (organization_id, number);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_organization_id_user_id_tier_key UNIQUE (organization_id, user_id, tier);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.order_lines
    ADD CONSTRAINT order_lines_pkey PRIMARY KEY (organization_id, order_id, "position");

ALTER TABLE ONLY public.order_refunds
    ADD CONSTRAINT order_refunds_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_once UNIQUE (organization_id, user_id, purchase_key);

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_organization_id_code_key UNIQUE (organization_id, code);

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.organization_settings
    ADD CONSTRAINT organization_settings_pkey PRIMARY KEY (organization_id);

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_slug_key UNIQUE (slug);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.owed_reactions
    ADD CONSTRAINT owed_reactions_pkey PRIMARY KEY (organization_id, consumer, message_id);

ALTER TABLE ONLY public.parked_payments
    ADD CONSTRAINT parked_payments_pkey PRIMARY KEY (provider, news_id);

ALTER TABLE ONLY public.participations
    ADD CONSTRAINT participations_pkey PRIMARY KEY (organization_id, event_id, join_id);

ALTER TABLE ONLY public.payment_attempts
    ADD CONSTRAINT payment_attempts_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.platform_sessions
    ADD CONSTRAINT platform_sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.platform_sessions
    ADD CONSTRAINT platform_sessions_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.platform_users
    ADD CONSTRAINT platform_users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.pools
    ADD CONSTRAINT pools_pkey PRIMARY KEY (organization_id, event_id, kind, ref_id);

ALTER TABLE ONLY public.processed_messages
    ADD CONSTRAINT processed_messages_pkey PRIMARY KEY (organization_id, consumer, message_id);

ALTER TABLE ONLY public.promo_codes
    ADD CONSTRAINT promo_codes_organization_id_event_id_code_key UNIQUE (organization_id, event_id, code);

ALTER TABLE ONLY public.promo_codes
    ADD CONSTRAINT promo_codes_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.promo_uses
    ADD CONSTRAINT promo_uses_pkey PRIMARY KEY (organization_id, checkout_id, promo_code_id);

ALTER TABLE ONLY public.public_events
    ADD CONSTRAINT public_events_pkey PRIMARY KEY (event_id);

ALTER TABLE ONLY public.public_ranks
    ADD CONSTRAINT public_ranks_pkey PRIMARY KEY (event_id, since_epoch);

ALTER TABLE ONLY public.queue_entries
    ADD CONSTRAINT queue_entries_pkey PRIMARY KEY (organization_id, event_id, seq);

ALTER TABLE ONLY public.queue_rooms
    ADD CONSTRAINT queue_rooms_pkey PRIMARY KEY (organization_id, event_id);

ALTER TABLE ONLY public.refund_batches
    ADD CONSTRAINT refund_batches_pkey PRIMARY KEY (organization_id, event_id);

ALTER TABLE ONLY public.refund_failures
    ADD CONSTRAINT refund_failures_pkey PRIMARY KEY (organization_id, order_id);

ALTER TABLE ONLY public.refunds
    ADD CONSTRAINT refunds_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.scan_counts
    ADD CONSTRAINT scan_counts_pkey PRIMARY KEY (organization_id, event_id, day, kind, ref_id);

ALTER TABLE ONLY public.scan_devices
    ADD CONSTRAINT scan_devices_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.scan_incidents
    ADD CONSTRAINT scan_incidents_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.scans
    ADD CONSTRAINT scans_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.seat_groups
    ADD CONSTRAINT seat_groups_id_key UNIQUE (id);

ALTER TABLE ONLY public.seat_groups
    ADD CONSTRAINT seat_groups_organization_id_layout_id_group_key_key UNIQUE (organization_id, layout_id, group_key);

ALTER TABLE ONLY public.seat_groups
    ADD CONSTRAINT seat_groups_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.seat_holds
    ADD CONSTRAINT seat_holds_pkey PRIMARY KEY (id, organization_id);

ALTER TABLE ONLY public.seat_moves
    ADD CONSTRAINT seat_moves_organization_id_migration_id_to_seat_id_key UNIQUE (organization_id, migration_id, to_seat_id);

ALTER TABLE ONLY public.seat_moves
    ADD CONSTRAINT seat_moves_pkey PRIMARY KEY (organization_id, migration_id, ticket_id);

ALTER TABLE ONLY public.seating_policies
    ADD CONSTRAINT seating_policies_pkey PRIMARY KEY (organization_id);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_id_key UNIQUE (id);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_organization_id_layout_id_seat_key_key UNIQUE (organization_id, layout_id, seat_key);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_pkey PRIMARY KEY (organization_id, layout_id, ordinal);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.test_charges
    ADD CONSTRAINT test_charges_pkey PRIMARY KEY (organization_id, key);

ALTER TABLE ONLY public.ticket_counters
    ADD CONSTRAINT ticket_counters_pkey PRIMARY KEY (organization_id, event_id);

ALTER TABLE ONLY public.ticket_keys
    ADD CONSTRAINT ticket_keys_pkey PRIMARY KEY (organization_id, key_id);

ALTER TABLE ONLY public.ticket_moves
    ADD CONSTRAINT ticket_moves_pkey PRIMARY KEY (organization_id, migration_id, ticket_id);

ALTER TABLE ONLY public.ticket_presence
    ADD CONSTRAINT ticket_presence_pkey PRIMARY KEY (organization_id, ticket_id);

ALTER TABLE ONLY public.ticket_types
    ADD CONSTRAINT ticket_types_organization_id_event_id_name_key UNIQUE (organization_id, event_id, name);

ALTER TABLE ONLY public.ticket_types
    ADD CONSTRAINT ticket_types_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.tickets
    ADD CONSTRAINT tickets_organization_id_code_key UNIQUE (organization_id, code);

ALTER TABLE ONLY public.tickets
    ADD CONSTRAINT tickets_organization_id_event_id_number_key UNIQUE (organization_id, event_id, number);

ALTER TABLE ONLY public.tickets
    ADD CONSTRAINT tickets_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_id_key UNIQUE (id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.venues
    ADD CONSTRAINT venues_id_key UNIQUE (id);

ALTER TABLE ONLY public.venues
    ADD CONSTRAINT venues_organization_id_slug_key UNIQUE (organization_id, slug);

ALTER TABLE ONLY public.venues
    ADD CONSTRAINT venues_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.waitlist_entries
    ADD CONSTRAINT waitlist_entries_offer UNIQUE (organization_id, basket_id);

ALTER TABLE ONLY public.waitlist_entries
    ADD CONSTRAINT waitlist_entries_organization_id_event_id_seq_key UNIQUE (organization_id, event_id, seq);

ALTER TABLE ONLY public.waitlist_entries
    ADD CONSTRAINT waitlist_entries_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.waitlists
    ADD CONSTRAINT waitlists_pkey PRIMARY KEY (organization_id, event_id);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_id_key UNIQUE (id);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_once UNIQUE (organization_id, webhook_id, message_id);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_id_key UNIQUE (id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.zone_guests
    ADD CONSTRAINT zone_guests_pkey PRIMARY KEY (organization_id, event_id, zone_id, email);

ALTER TABLE ONLY public.zones
    ADD CONSTRAINT zones_id_key UNIQUE (id);

ALTER TABLE ONLY public.zones
    ADD CONSTRAINT zones_organization_id_layout_id_id_key UNIQUE (organization_id, layout_id, id);

ALTER TABLE ONLY public.zones
    ADD CONSTRAINT zones_organization_id_layout_id_zone_key_key UNIQUE (organization_id, layout_id, zone_key);

ALTER TABLE ONLY public.zones
    ADD CONSTRAINT zones_pkey PRIMARY KEY (organization_id, id);

CREATE INDEX history_created ON jobs.history USING btree (created);

CREATE INDEX history_job_id_status ON jobs.history USING btree (job_id, created DESC);

CREATE INDEX history_not_aggregated ON jobs.history USING btree ((1)) WHERE (NOT aggregated);

CREATE INDEX history_status ON jobs.history USING btree (status);

CREATE INDEX queue_ep_ea_idx ON jobs.queue USING btree (entrypoint, execute_after) WHERE (status = 'queued'::jobs.status);

CREATE INDEX queue_ep_prio_id_idx ON jobs.queue USING btree (entrypoint, priority DESC, id) WHERE (status = 'queued'::jobs.status);

CREATE INDEX queue_failed ON jobs.queue USING btree (id) WHERE (status = 'failed'::jobs.status);

CREATE INDEX queue_picked_heartbeat_idx ON jobs.queue USING btree (heartbeat) WHERE (status = 'picked'::jobs.status);

CREATE UNIQUE INDEX queue_picked_slot_idx ON jobs.queue USING btree (entrypoint, slot) WHERE ((status = 'picked'::jobs.status) AND (slot IS NOT NULL));

CREATE INDEX queue_priority_id_id1_idx ON jobs.queue USING btree (priority, id DESC) INCLUDE (id) WHERE (status = 'queued'::jobs.status);

CREATE INDEX queue_queue_manager_id_idx ON jobs.queue USING btree (queue_manager_id) WHERE (queue_manager_id IS NOT NULL);

CREATE UNIQUE INDEX queue_unique_dedupe_key ON jobs.queue USING btree (dedupe_key) WHERE ((status = ANY (ARRAY['queued'::jobs.status, 'picked'::jobs.status])) AND (dedupe_key IS NOT NULL));

CREATE INDEX queue_updated_id_id1_idx ON jobs.queue USING btree (updated, id DESC) INCLUDE (id) WHERE (status = 'picked'::jobs.status);

CREATE UNIQUE INDEX statistics_unique_count ON jobs.statistics USING btree (priority, date_trunc('sec'::text, timezone('UTC'::text, created)), status, entrypoint);

CREATE INDEX api_keys_newest ON public.api_keys USING btree (organization_id, created_at, id);

CREATE INDEX audit_log_entity ON ONLY public.audit_log USING btree (organization_id, entity_type, entity_id, created_at);

CREATE INDEX audit_log_default_organization_id_entity_type_entity_id_cre_idx ON public.audit_log_default USING btree (organization_id, entity_type, entity_id, created_at);

CREATE INDEX checkout_items_hold ON public.checkout_items USING btree (organization_id, hold_id);

CREATE INDEX checkout_sessions_due ON public.checkout_sessions USING btree (expires_at) WHERE (status = 'open'::text);

CREATE UNIQUE INDEX checkout_sessions_live ON public.checkout_sessions USING btree (organization_id, event_id, user_id) WHERE (status = ANY (ARRAY['open'::text, 'paying'::text]));

CREATE INDEX checkout_sessions_show ON public.checkout_sessions USING btree (organization_id, event_id, created_at);

CREATE INDEX day_places_type ON public.day_places USING btree (organization_id, ticket_type_id);

CREATE INDEX event_layouts_layout ON public.event_layouts USING btree (organization_id, layout_id);

CREATE INDEX event_seats_companions ON public.event_seats USING btree (organization_id, event_id, companion_of) WHERE (companion_of IS NOT NULL);

CREATE INDEX event_stats_unranked ON public.event_stats USING btree (organization_id) WHERE unranked;

CREATE INDEX events_coming ON public.events USING btree (organization_id, COALESCE(rescheduled_at, start_at), id) WHERE (status = ANY (ARRAY['published'::text, 'live'::text, 'postponed'::text]));

CREATE INDEX events_coming_there ON public.events USING btree (organization_id, venue_id, COALESCE(rescheduled_at, start_at), id) WHERE (status = ANY (ARRAY['published'::text, 'live'::text, 'postponed'::text]));

CREATE INDEX events_covers ON public.events USING gin (cover_image_ids);

CREATE UNIQUE INDEX events_dedupe ON public.events USING btree (organization_id, dedupe_key) WHERE (status <> ALL (ARRAY['cancelled'::text, 'archived'::text]));

CREATE INDEX events_doors ON public.events USING btree (doors_at) WHERE (status = 'published'::text);

CREATE INDEX events_ending ON public.events USING btree (end_at) WHERE (status = 'live'::text);

CREATE INDEX events_mine ON public.events USING btree (organization_id, created_by, created_at, id);

CREATE INDEX events_replaced ON public.events USING btree (organization_id, replaced_by_event_id) WHERE (replaced_by_event_id IS NOT NULL);

CREATE INDEX events_resuming ON public.events USING btree (rescheduled_at) WHERE ((status = 'postponed'::text) AND (rescheduled_at IS NOT NULL));

CREATE INDEX events_series ON public.events USING btree (organization_id, recurrence_group_id) WHERE (recurrence_group_id IS NOT NULL);

CREATE INDEX events_start ON public.events USING btree (organization_id, COALESCE(rescheduled_at, start_at), id);

CREATE INDEX events_status ON public.events USING btree (organization_id, status, COALESCE(rescheduled_at, start_at), id);

CREATE INDEX events_stopped ON public.events USING btree (organization_id, id) WHERE (status = ANY (ARRAY['cancelled'::text, 'postponed'::text]));

CREATE INDEX events_venue ON public.events USING btree (organization_id, venue_id, COALESCE(rescheduled_at, start_at), id);

CREATE INDEX former_codes_event ON public.former_codes USING btree (organization_id, event_id);

CREATE INDEX gates_venue ON public.gates USING btree (organization_id, venue_id, status, gate_code);

CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);

CREATE INDEX images_unused ON public.images USING btree (created_at) WHERE (attached_at IS NULL);

CREATE UNIQUE INDEX invitations_open ON public.invitations USING btree (organization_id, lower(email)) WHERE ((accepted_at IS NULL) AND (revoked_at IS NULL));

CREATE INDEX layout_migrations_event ON public.layout_migrations USING btree (organization_id, event_id, created_at, id);

CREATE UNIQUE INDEX layout_migrations_open ON public.layout_migrations USING btree (organization_id, event_id) WHERE (status = 'planned'::text);

CREATE UNIQUE INDEX layouts_active ON public.layouts USING btree (organization_id, family_id) WHERE (status = 'active'::text);

CREATE INDEX layouts_venue ON public.layouts USING btree (organization_id, venue_id, created_at, id);

CREATE INDEX ledger_transactions_order ON public.ledger_transactions USING btree (organization_id, order_id);

CREATE INDEX ledger_transactions_time ON public.ledger_transactions USING btree (organization_id, created_at, id);

CREATE INDEX magic_links_expiry ON public.magic_links USING btree (expires_at);

CREATE INDEX mails_newest ON public.mails USING btree (organization_id, created_at DESC, id);

CREATE UNIQUE INDEX mails_once ON public.mails USING btree (organization_id, about, template, lower(recipient)) WHERE (about IS NOT NULL);

CREATE INDEX mails_refused ON public.mails USING btree (refused_at) WHERE (refused_at IS NOT NULL);

CREATE INDEX mails_sent ON public.mails USING btree (sent_at) WHERE (sent_at IS NOT NULL);

CREATE INDEX mails_unsent ON public.mails USING btree (created_at) WHERE (sent_at IS NULL);

CREATE INDEX mails_unsent_links ON public.mails USING btree (created_at) WHERE ((sent_at IS NULL) AND (template = 'sign_in_link'::text));

CREATE INDEX memberships_newest ON public.memberships USING btree (organization_id, created_at, id);

CREATE UNIQUE INDEX notice_recipients_once ON public.notice_recipients USING btree (organization_id, notice_id, lower(email));

CREATE INDEX notices_of_event ON public.notices USING btree (organization_id, event_id, created_at, id);

CREATE INDEX order_lines_type ON public.order_lines USING btree (organization_id, ticket_type_id);

CREATE INDEX order_refunds_event ON public.order_refunds USING btree (organization_id, event_id);

CREATE UNIQUE INDEX order_refunds_once ON public.order_refunds USING btree (organization_id, order_id) WHERE batch;

CREATE INDEX order_refunds_order ON public.order_refunds USING btree (organization_id, order_id);

CREATE INDEX orders_consent ON public.orders USING btree (consent_by) WHERE (status = 'needs_consent'::text);

CREATE INDEX orders_event ON public.orders USING btree (organization_id, event_id, created_at, id);

CREATE INDEX orders_mine ON public.orders USING btree (organization_id, user_id, created_at, id);

CREATE INDEX orders_newest ON public.orders USING btree (organization_id, created_at, id);

CREATE UNIQUE INDEX orders_secret ON public.orders USING btree (organization_id, secret_hash);

CREATE INDEX outbox_created ON public.outbox USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');

CREATE INDEX outbox_handled ON public.outbox USING btree (handled_at) WHERE (handled_at IS NOT NULL);

CREATE INDEX outbox_parked ON public.outbox USING btree (parked_at) WHERE (parked_at IS NOT NULL);

CREATE INDEX outbox_refused ON public.outbox USING btree (subject_id, seq) WHERE ((sent_at IS NULL) AND (parked_at IS NULL) AND (attempts > 0));

CREATE INDEX outbox_unhandled ON public.outbox USING btree (seq) WHERE (handled_at IS NULL);

CREATE INDEX outbox_unsent ON public.outbox USING btree (seq) WHERE ((sent_at IS NULL) AND (parked_at IS NULL));

CREATE INDEX owed_reactions_due ON public.owed_reactions USING btree (due_at) WHERE (parked_at IS NULL);

CREATE INDEX owed_reactions_message ON public.owed_reactions USING btree (message_id);

CREATE INDEX owed_reactions_order ON public.owed_reactions USING btree (organization_id, subject_id, consumer, seq) WHERE (parked_at IS NULL);

CREATE INDEX payment_attempts_due ON public.payment_attempts USING btree (ask_at) WHERE (status = ANY (ARRAY['started'::text, 'pending'::text, 'unknown'::text]));

CREATE INDEX payment_attempts_order ON public.payment_attempts USING btree (organization_id, order_id);

CREATE UNIQUE INDEX payment_attempts_paid ON public.payment_attempts USING btree (organization_id, order_id) WHERE ((status = 'captured'::text) AND (NOT surplus));

CREATE UNIQUE INDEX payment_attempts_ref ON public.payment_attempts USING btree (provider, provider_ref) WHERE (provider_ref IS NOT NULL);

CREATE UNIQUE INDEX platform_users_email ON public.platform_users USING btree (lower(email));

CREATE INDEX processed_messages_age ON public.processed_messages USING brin (processed_at);

CREATE INDEX promo_uses_code ON public.promo_uses USING btree (organization_id, promo_code_id);

CREATE INDEX public_events_category ON public.public_events USING btree (category, start_at, event_id);

CREATE INDEX public_events_city ON public.public_events USING btree (city_norm, start_at, event_id);

CREATE INDEX public_events_gaps ON public.public_events USING btree (event_id) WHERE ((selling IS NOT NULL) AND (multirange(range_merge(selling)) <> selling));

CREATE INDEX public_events_latest ON public.public_events USING btree (start_at, event_id);

CREATE INDEX public_events_newest ON public.public_events USING btree (published_at, event_id);

CREATE INDEX public_events_newest_here ON public.public_events USING btree (organization_id, published_at, event_id);

CREATE INDEX public_events_no_tickets ON public.public_events USING btree (start_at, event_id) WHERE (NOT has_tickets);

CREATE INDEX public_events_organization ON public.public_events USING btree (organization_id, start_at, event_id);

CREATE INDEX public_events_places ON public.public_events USING btree (city_norm, city, country, organization_id);

CREATE INDEX public_events_sale_end ON public.public_events USING btree (sale_end_at);

CREATE INDEX public_events_sale_start ON public.public_events USING btree (sale_start_at);

CREATE INDEX public_events_search ON public.public_events USING gin (search);

CREATE INDEX public_events_selling_from ON public.public_events USING btree (lower(selling)) WHERE (selling IS NOT NULL);

CREATE INDEX public_events_selling_until ON public.public_events USING btree (upper(selling)) WHERE (selling IS NOT NULL);

CREATE UNIQUE INDEX public_events_slug ON public.public_events USING btree (organization_id, slug);

CREATE INDEX public_events_sold_out ON public.public_events USING btree (start_at, event_id) WHERE (sold_out OR (selling IS NOT NULL));

CREATE INDEX public_events_suspended ON public.public_events USING btree (start_at, event_id) WHERE ((status = 'postponed'::text) AND (rescheduled_at IS NULL));

CREATE INDEX public_ranks_category ON public.public_ranks USING btree (category, rank, start_at, event_id);

CREATE INDEX public_ranks_city ON public.public_ranks USING btree (city_norm, rank, start_at, event_id);

CREATE INDEX public_ranks_hottest ON public.public_ranks USING btree (rank, start_at, event_id);

CREATE UNIQUE INDEX public_ranks_newest ON public.public_ranks USING btree (event_id) WHERE (until_epoch = 2147483647);

CREATE INDEX public_ranks_over ON public.public_ranks USING btree (until_epoch) WHERE (until_epoch < 2147483647);

CREATE INDEX queue_entries_buyers ON public.queue_entries USING btree (organization_id, event_id) WHERE ((status = 'waiting'::text) AND (is_buyer OR (promo_code IS NOT NULL)));

CREATE INDEX queue_entries_cooling ON public.queue_entries USING btree (organization_id, event_id, user_id) WHERE (cooldown_until IS NOT NULL);

CREATE INDEX queue_entries_due ON public.queue_entries USING btree (expires_at) WHERE (status = ANY (ARRAY['waiting'::text, 'admitted'::text]));

CREATE UNIQUE INDEX queue_entries_line ON public.queue_entries USING btree (organization_id, event_id, place) WHERE (status = 'waiting'::text);

CREATE UNIQUE INDEX queue_entries_live ON public.queue_entries USING btree (organization_id, event_id, user_id) WHERE (status = ANY (ARRAY['waiting'::text, 'admitted'::text]));

CREATE INDEX queue_entries_slots ON public.queue_entries USING btree (organization_id, event_id) WHERE (status = 'admitted'::text);

CREATE INDEX queue_entries_there ON public.queue_entries USING btree (organization_id, event_id, place) WHERE ((status = 'waiting'::text) AND (NOT absent));

CREATE INDEX queue_rooms_at_work ON public.queue_rooms USING btree (organization_id) WHERE (state <> 'closed'::text);

CREATE INDEX refund_batches_due ON public.refund_batches USING btree (look_at) WHERE (status = 'running'::text);

CREATE INDEX refund_failures_event ON public.refund_failures USING btree (organization_id, event_id);

CREATE INDEX refunds_attempt ON public.refunds USING btree (organization_id, attempt_id);

CREATE INDEX refunds_due ON public.refunds USING btree (ask_at) WHERE (status = ANY (ARRAY['requested'::text, 'unknown'::text]));

CREATE INDEX refunds_event ON public.refunds USING btree (organization_id, event_id);

CREATE INDEX refunds_order ON public.refunds USING btree (organization_id, order_id);

CREATE UNIQUE INDEX refunds_ref ON public.refunds USING btree (organization_id, attempt_id, provider_ref) WHERE (provider_ref IS NOT NULL);

CREATE UNIQUE INDEX scan_devices_code ON public.scan_devices USING btree (organization_id, code_hash) WHERE (code_hash IS NOT NULL);

CREATE INDEX scan_devices_event ON public.scan_devices USING btree (organization_id, event_id, created_at, id);

CREATE UNIQUE INDEX scan_devices_token ON public.scan_devices USING btree (organization_id, token_hash) WHERE (token_hash IS NOT NULL);

CREATE UNIQUE INDEX scan_incidents_double ON public.scan_incidents USING btree (organization_id, second_scan_id) WHERE (first_scan_id IS NOT NULL);

CREATE INDEX scan_incidents_event ON public.scan_incidents USING btree (organization_id, event_id, created_at, id);

CREATE INDEX scan_incidents_ticket ON public.scan_incidents USING btree (organization_id, ticket_id);

CREATE UNIQUE INDEX scan_incidents_void ON public.scan_incidents USING btree (organization_id, second_scan_id) WHERE (first_scan_id IS NULL);

CREATE INDEX scans_event ON public.scans USING btree (organization_id, event_id, recorded_at);

CREATE UNIQUE INDEX scans_once ON public.scans USING btree (organization_id, device_id, counter) WHERE (counter IS NOT NULL);

CREATE UNIQUE INDEX scans_one_a_step ON public.scans USING btree (organization_id, ticket_id, version) WHERE (version IS NOT NULL);

CREATE INDEX scans_rejected ON public.scans USING btree (organization_id, event_id, day) WHERE ((NOT admitted) AND (NOT test));

CREATE INDEX scans_ticket ON public.scans USING btree (organization_id, ticket_id, at) WHERE (ticket_id IS NOT NULL);

CREATE INDEX seat_holds_due ON public.seat_holds USING btree (held_until) WHERE (status = 'active'::text);

CREATE INDEX seat_holds_ended ON public.seat_holds USING btree (organization_id, event_id, created_at) INCLUDE (status, quantity) WHERE (status <> 'active'::text);

CREATE INDEX seat_holds_keyed ON public.seat_holds USING btree (organization_id, basket_id) WHERE keyed;

CREATE INDEX seat_holds_network ON public.seat_holds USING btree (organization_id, event_id, network) WHERE ((network IS NOT NULL) AND (status = ANY (ARRAY['active'::text, 'suspended'::text])));

CREATE INDEX seat_holds_offered ON public.seat_holds USING btree (organization_id, basket_id) WHERE (source = 'waitlist'::text);

CREATE INDEX seat_holds_person ON public.seat_holds USING btree (organization_id, user_id, created_at);

CREATE INDEX seat_holds_sold ON public.seat_holds USING btree (organization_id, event_id, seat_id) WHERE ((status = 'converted'::text) AND (seat_id IS NOT NULL));

CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);

CREATE INDEX sessions_user ON public.sessions USING btree (organization_id, user_id);

CREATE UNIQUE INDEX ticket_keys_current ON public.ticket_keys USING btree (organization_id) WHERE (retired_at IS NULL);

CREATE INDEX ticket_moves_due ON public.ticket_moves USING btree (respond_by) WHERE (answer IS NULL);

CREATE INDEX ticket_moves_ticket ON public.ticket_moves USING btree (organization_id, ticket_id);

CREATE INDEX ticket_presence_event ON public.ticket_presence USING btree (organization_id, event_id);

CREATE INDEX ticket_types_by_day ON public.ticket_types USING btree (organization_id, event_id) WHERE by_day;

CREATE INDEX ticket_types_event ON public.ticket_types USING btree (organization_id, event_id, "position", created_at, id);

CREATE INDEX tickets_holder ON public.tickets USING btree (organization_id, holder_user_id, issued_at, id);

CREATE UNIQUE INDEX tickets_one_a_seat ON public.tickets USING btree (organization_id, event_id, seat_id) WHERE ((seat_id IS NOT NULL) AND (voided_at IS NULL));

CREATE INDEX tickets_order ON public.tickets USING btree (organization_id, order_id);

CREATE INDEX tickets_type ON public.tickets USING btree (organization_id, ticket_type_id);

CREATE UNIQUE INDEX users_email ON public.users USING btree (organization_id, lower(email));

CREATE INDEX users_team ON public.users USING btree (organization_id, created_at, id) WHERE (role <> 'customer'::text);

CREATE INDEX venues_city ON public.venues USING btree (organization_id, city, created_at, id);

CREATE INDEX venues_newest ON public.venues USING btree (organization_id, created_at, id);

CREATE UNIQUE INDEX venues_stands_for ON public.venues USING btree (organization_id, stands_for) WHERE (stands_for IS NOT NULL);

CREATE INDEX venues_timezone ON public.venues USING btree (organization_id, timezone, created_at, id);

CREATE UNIQUE INDEX waitlist_entries_address ON public.waitlist_entries USING btree (organization_id, event_id, lower(email)) WHERE (status = ANY (ARRAY['waiting'::text, 'offered'::text]));

CREATE INDEX waitlist_entries_mine ON public.waitlist_entries USING btree (organization_id, user_id, event_id, seq);

CREATE INDEX waitlist_entries_next ON public.waitlist_entries USING btree (organization_id, event_id, seq) WHERE (status = 'waiting'::text);

CREATE UNIQUE INDEX waitlist_entries_person ON public.waitlist_entries USING btree (organization_id, event_id, user_id) WHERE (status = ANY (ARRAY['waiting'::text, 'offered'::text]));

CREATE UNIQUE INDEX waitlist_entries_secret ON public.waitlist_entries USING btree (organization_id, secret_hash);

CREATE INDEX waitlist_entries_wishes ON public.waitlist_entries USING btree (organization_id, event_id, wish, seq) WHERE (status = 'waiting'::text);

CREATE INDEX webhook_deliveries_age ON public.webhook_deliveries USING btree (created_at) WHERE (status <> 'pending'::text);

CREATE INDEX webhook_deliveries_newest ON public.webhook_deliveries USING btree (organization_id, webhook_id, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_tests ON public.webhook_deliveries USING btree (created_at) WHERE ((status = 'pending'::text) AND (type = 'webhook.test'::text));

CREATE INDEX webhooks_age ON public.webhooks USING btree (organization_id, created_at, id);

ALTER INDEX public.audit_log_entity ATTACH PARTITION public.audit_log_default_organization_id_entity_type_entity_id_cre_idx;

ALTER INDEX public.audit_log_pkey ATTACH PARTITION public.audit_log_default_pkey;

CREATE TRIGGER queue_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON jobs.queue FOR EACH STATEMENT EXECUTE FUNCTION jobs.changed();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION app.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.ledger_entries FOR EACH ROW EXECUTE FUNCTION app.refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.ledger_transactions FOR EACH ROW EXECUTE FUNCTION app.refuse_change();

CREATE CONSTRAINT TRIGGER balanced AFTER INSERT ON public.ledger_entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.check_balance();

CREATE TRIGGER count_change BEFORE UPDATE ON public.pools FOR EACH ROW EXECUTE FUNCTION app.count_change();

CREATE CONSTRAINT TRIGGER fit_pool AFTER UPDATE ON public.events DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((((new.capacity IS DISTINCT FROM old.capacity) OR (new.venue_id IS DISTINCT FROM old.venue_id)) AND (new.status = ANY (ARRAY['draft'::text, 'published'::text, 'live'::text, 'postponed'::text])))) EXECUTE FUNCTION app.fit_pool_of_event();

CREATE TRIGGER fit_pool_of_new AFTER INSERT ON public.events FOR EACH ROW EXECUTE FUNCTION app.fit_pool_of_event();

CREATE CONSTRAINT TRIGGER fit_pools AFTER UPDATE ON public.venues DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.max_capacity IS DISTINCT FROM old.max_capacity)) EXECUTE FUNCTION app.fit_pools_of_venue();

CREATE TRIGGER follow_day_places AFTER INSERT OR DELETE OR UPDATE ON public.day_places FOR EACH ROW EXECUTE FUNCTION app.follow_day_places();

CREATE TRIGGER follow_offer AFTER UPDATE OF status ON public.seat_holds FOR EACH ROW WHEN (((new.source = 'waitlist'::text) AND (new.status IS DISTINCT FROM old.status))) EXECUTE FUNCTION app.follow_offer();

CREATE TRIGGER follow_valid_days AFTER UPDATE ON public.ticket_types FOR EACH ROW WHEN ((new.valid_days IS DISTINCT FROM old.valid_days)) EXECUTE FUNCTION app.follow_valid_days();

CREATE TRIGGER keep_all BEFORE UPDATE ON public.seat_groups FOR EACH ROW EXECUTE FUNCTION app.refuse_change();

CREATE TRIGGER keep_all BEFORE UPDATE ON public.seats FOR EACH ROW EXECUTE FUNCTION app.refuse_change();

CREATE TRIGGER keep_all BEFORE UPDATE ON public.zones FOR EACH ROW EXECUTE FUNCTION app.refuse_change();

CREATE TRIGGER keep_an_owner AFTER DELETE OR UPDATE OF role, status ON public.users FOR EACH ROW EXECUTE FUNCTION app.keep_an_owner();

CREATE TRIGGER keep_event_layout BEFORE DELETE OR UPDATE ON public.event_layouts FOR EACH ROW EXECUTE FUNCTION app.keep_event_layout();

CREATE TRIGGER keep_frozen BEFORE UPDATE ON public.seat_holds FOR EACH ROW WHEN (((old.status = 'active'::text) AND (old.attempt_id IS NOT NULL) AND (NOT (new.attempt_id IS DISTINCT FROM old.attempt_id)) AND (new.status <> 'converted'::text))) EXECUTE FUNCTION app.keep_frozen();

CREATE TRIGGER keep_layout BEFORE DELETE OR UPDATE ON public.layouts FOR EACH ROW EXECUTE FUNCTION app.keep_layout();

CREATE TRIGGER keep_new AFTER INSERT ON public.seat_groups REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION app.keep_places();

CREATE TRIGGER keep_new AFTER INSERT ON public.seats REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION app.keep_places();

CREATE TRIGGER keep_new AFTER INSERT ON public.zones REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION app.keep_places();

CREATE TRIGGER keep_old AFTER DELETE ON public.seat_groups REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION app.keep_places();

CREATE TRIGGER keep_old AFTER DELETE ON public.seats REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION app.keep_places();

CREATE TRIGGER keep_old AFTER DELETE ON public.zones REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION app.keep_places();

CREATE TRIGGER keep_sold_seats AFTER DELETE ON public.event_seats REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION app.keep_sold_seats();

CREATE TRIGGER list_event AFTER INSERT ON public.events FOR EACH ROW EXECUTE FUNCTION app.list_event();

CREATE TRIGGER move_entry BEFORE UPDATE OF status ON public.waitlist_entries FOR EACH ROW EXECUTE FUNCTION app.move_entry();

CREATE TRIGGER never_emptied BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();

CREATE TRIGGER never_emptied BEFORE TRUNCATE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();

CREATE TRIGGER never_emptied BEFORE TRUNCATE ON public.ledger_transactions FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();

CREATE TRIGGER note_change BEFORE UPDATE ON public.public_events FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION app.note_change();

CREATE TRIGGER show_participants AFTER UPDATE OF active_participants ON public.event_stats FOR EACH ROW WHEN ((old.active_participants IS DISTINCT FROM new.active_participants)) EXECUTE FUNCTION app.show_participants();

CREATE TRIGGER tell_offer AFTER UPDATE OF status ON public.waitlist_entries FOR EACH ROW WHEN (((old.status = 'offered'::text) OR (new.status = 'offered'::text))) EXECUTE FUNCTION app.tell_offer();

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.charge_lists
    ADD CONSTRAINT charge_lists_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.checkout_items
    ADD CONSTRAINT checkout_items_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.checkout_items
    ADD CONSTRAINT checkout_items_organization_id_session_id_fkey FOREIGN KEY (organization_id, session_id) REFERENCES public.checkout_sessions(organization_id, id);

ALTER TABLE ONLY public.checkout_sessions
    ADD CONSTRAINT checkout_sessions_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id);

ALTER TABLE ONLY public.checkout_sessions
    ADD CONSTRAINT checkout_sessions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.day_places
    ADD CONSTRAINT day_places_organization_id_event_id_kind_ref_id_fkey FOREIGN KEY (organization_id, event_id, kind, ref_id) REFERENCES public.pools(organization_id, event_id, kind, ref_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.day_places
    ADD CONSTRAINT day_places_organization_id_ticket_type_id_fkey FOREIGN KEY (organization_id, ticket_type_id) REFERENCES public.ticket_types(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_directory
    ADD CONSTRAINT event_directory_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_layouts
    ADD CONSTRAINT event_layouts_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_layouts
    ADD CONSTRAINT event_layouts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.event_layouts
    ADD CONSTRAINT event_layouts_organization_id_layout_id_fkey FOREIGN KEY (organization_id, layout_id) REFERENCES public.layouts(organization_id, id);

ALTER TABLE ONLY public.event_seats
    ADD CONSTRAINT event_seats_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.event_layouts(organization_id, event_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_stats
    ADD CONSTRAINT event_stats_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_stats
    ADD CONSTRAINT event_stats_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.event_zones
    ADD CONSTRAINT event_zones_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.event_layouts(organization_id, event_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_zones
    ADD CONSTRAINT event_zones_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_organization_id_replaced_by_event_id_fkey FOREIGN KEY (organization_id, replaced_by_event_id) REFERENCES public.events(organization_id, id) ON DELETE SET NULL (replaced_by_event_id);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_organization_id_venue_id_fkey FOREIGN KEY (organization_id, venue_id) REFERENCES public.venues(organization_id, id) ON DELETE SET NULL (venue_id);

ALTER TABLE ONLY public.former_codes
    ADD CONSTRAINT former_codes_organization_id_ticket_id_fkey FOREIGN KEY (organization_id, ticket_id) REFERENCES public.tickets(organization_id, id);

ALTER TABLE ONLY public.gates
    ADD CONSTRAINT gates_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.gates
    ADD CONSTRAINT gates_organization_id_venue_id_fkey FOREIGN KEY (organization_id, venue_id) REFERENCES public.venues(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.images
    ADD CONSTRAINT images_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.layout_migrations
    ADD CONSTRAINT layout_migrations_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.layout_migrations
    ADD CONSTRAINT layout_migrations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.layout_migrations
    ADD CONSTRAINT layout_migrations_organization_id_from_layout_id_fkey FOREIGN KEY (organization_id, from_layout_id) REFERENCES public.layouts(organization_id, id);

ALTER TABLE ONLY public.layout_migrations
    ADD CONSTRAINT layout_migrations_organization_id_to_layout_id_fkey FOREIGN KEY (organization_id, to_layout_id) REFERENCES public.layouts(organization_id, id);

ALTER TABLE ONLY public.layouts
    ADD CONSTRAINT layouts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.layouts
    ADD CONSTRAINT layouts_organization_id_venue_id_fkey FOREIGN KEY (organization_id, venue_id) REFERENCES public.venues(organization_id, id) ON DELETE SET NULL (venue_id);

ALTER TABLE ONLY public.ledger_entries
    ADD CONSTRAINT ledger_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.ledger_entries
    ADD CONSTRAINT ledger_entries_organization_id_transaction_id_fkey FOREIGN KEY (organization_id, transaction_id) REFERENCES public.ledger_transactions(organization_id, id);

ALTER TABLE ONLY public.ledger_transactions
    ADD CONSTRAINT ledger_transactions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.magic_links
    ADD CONSTRAINT magic_links_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.mail_readers
    ADD CONSTRAINT mail_readers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.mails
    ADD CONSTRAINT mails_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES public.users(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notice_recipients
    ADD CONSTRAINT notice_recipients_organization_id_notice_id_fkey FOREIGN KEY (organization_id, notice_id) REFERENCES public.notices(organization_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.order_lines
    ADD CONSTRAINT order_lines_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.order_lines
    ADD CONSTRAINT order_lines_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES public.orders(organization_id, id);

ALTER TABLE ONLY public.order_lines
    ADD CONSTRAINT order_lines_type_fkey FOREIGN KEY (organization_id, ticket_type_id) REFERENCES public.ticket_types(organization_id, id) NOT VALID;

ALTER TABLE ONLY public.order_refunds
    ADD CONSTRAINT order_refunds_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.order_refunds
    ADD CONSTRAINT order_refunds_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES public.orders(organization_id, id);

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_organization_id_session_id_fkey FOREIGN KEY (organization_id, session_id) REFERENCES public.checkout_sessions(organization_id, id);

ALTER TABLE ONLY public.organization_settings
    ADD CONSTRAINT organization_settings_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.participations
    ADD CONSTRAINT participations_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.payment_attempts
    ADD CONSTRAINT payment_attempts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.platform_sessions
    ADD CONSTRAINT platform_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.platform_users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pools
    ADD CONSTRAINT pools_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pools
    ADD CONSTRAINT pools_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.promo_codes
    ADD CONSTRAINT promo_codes_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.promo_codes
    ADD CONSTRAINT promo_codes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.promo_uses
    ADD CONSTRAINT promo_uses_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.promo_uses
    ADD CONSTRAINT promo_uses_organization_id_promo_code_id_fkey FOREIGN KEY (organization_id, promo_code_id) REFERENCES public.promo_codes(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.public_events
    ADD CONSTRAINT public_events_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.public_events
    ADD CONSTRAINT public_events_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.public_ranks
    ADD CONSTRAINT public_ranks_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.public_events(event_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.public_ranks
    ADD CONSTRAINT public_ranks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.queue_rooms
    ADD CONSTRAINT queue_rooms_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.refund_batches
    ADD CONSTRAINT refund_batches_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id);

ALTER TABLE ONLY public.refund_batches
    ADD CONSTRAINT refund_batches_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.refund_failures
    ADD CONSTRAINT refund_failures_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.refund_failures
    ADD CONSTRAINT refund_failures_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES public.orders(organization_id, id);

ALTER TABLE ONLY public.refunds
    ADD CONSTRAINT refunds_organization_id_attempt_id_fkey FOREIGN KEY (organization_id, attempt_id) REFERENCES public.payment_attempts(organization_id, id);

ALTER TABLE ONLY public.refunds
    ADD CONSTRAINT refunds_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.scan_devices
    ADD CONSTRAINT scan_devices_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.scan_devices
    ADD CONSTRAINT scan_devices_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.seat_groups
    ADD CONSTRAINT seat_groups_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.seat_groups
    ADD CONSTRAINT seat_groups_organization_id_layout_id_fkey FOREIGN KEY (organization_id, layout_id) REFERENCES public.layouts(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.seat_moves
    ADD CONSTRAINT seat_moves_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.seat_moves
    ADD CONSTRAINT seat_moves_organization_id_migration_id_fkey FOREIGN KEY (organization_id, migration_id) REFERENCES public.layout_migrations(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.seating_policies
    ADD CONSTRAINT seating_policies_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_organization_id_layout_id_zone_id_fkey FOREIGN KEY (organization_id, layout_id, zone_id) REFERENCES public.zones(organization_id, layout_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES public.users(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.test_charges
    ADD CONSTRAINT test_charges_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.ticket_counters
    ADD CONSTRAINT ticket_counters_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ticket_counters
    ADD CONSTRAINT ticket_counters_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.ticket_keys
    ADD CONSTRAINT ticket_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.ticket_moves
    ADD CONSTRAINT ticket_moves_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.ticket_moves
    ADD CONSTRAINT ticket_moves_organization_id_ticket_id_fkey FOREIGN KEY (organization_id, ticket_id) REFERENCES public.tickets(organization_id, id);

ALTER TABLE ONLY public.ticket_types
    ADD CONSTRAINT ticket_types_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ticket_types
    ADD CONSTRAINT ticket_types_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.tickets
    ADD CONSTRAINT tickets_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id);

ALTER TABLE ONLY public.tickets
    ADD CONSTRAINT tickets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.tickets
    ADD CONSTRAINT tickets_organization_id_order_id_fkey FOREIGN KEY (organization_id, order_id) REFERENCES public.orders(organization_id, id);

ALTER TABLE ONLY public.tickets
    ADD CONSTRAINT tickets_organization_id_ticket_type_id_fkey FOREIGN KEY (organization_id, ticket_type_id) REFERENCES public.ticket_types(organization_id, id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.venues
    ADD CONSTRAINT venues_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.waitlist_entries
    ADD CONSTRAINT waitlist_entries_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.waitlists(organization_id, event_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.waitlist_entries
    ADD CONSTRAINT waitlist_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.waitlists
    ADD CONSTRAINT waitlists_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.waitlists
    ADD CONSTRAINT waitlists_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_organization_id_webhook_id_fkey FOREIGN KEY (organization_id, webhook_id) REFERENCES public.webhooks(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.zone_guests
    ADD CONSTRAINT zone_guests_organization_id_event_id_fkey FOREIGN KEY (organization_id, event_id) REFERENCES public.events(organization_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.zone_guests
    ADD CONSTRAINT zone_guests_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.zones
    ADD CONSTRAINT zones_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id);

ALTER TABLE ONLY public.zones
    ADD CONSTRAINT zones_organization_id_layout_id_fkey FOREIGN KEY (organization_id, layout_id) REFERENCES public.layouts(organization_id, id) ON DELETE CASCADE;

ALTER TABLE public.api_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_log_default ENABLE ROW LEVEL SECURITY;

CREATE POLICY auditor ON public.api_keys FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.audit_log FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.charge_lists FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.checkout_items FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.checkout_sessions FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.day_places FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.event_layouts FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.event_seats FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.event_stats FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.event_zones FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.events FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.former_codes FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.gates FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.idempotency_keys FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.images FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.invitations FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.layout_migrations FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.layouts FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.ledger_entries FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.ledger_transactions FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.magic_links FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.mail_readers FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.mails FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.memberships FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.notice_recipients FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.notices FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.order_lines FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.order_refunds FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.orders FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.organization_settings FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.outbox FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.owed_reactions FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.participations FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.payment_attempts FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.pools FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.processed_messages FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.promo_codes FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.promo_uses FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.queue_entries FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.queue_rooms FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.refund_batches FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.refund_failures FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.refunds FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.scan_counts FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.scan_devices FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.scan_incidents FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.scans FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.seat_groups FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.seat_holds FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.seat_moves FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.seating_policies FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.seats FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.sessions FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.test_charges FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.ticket_counters FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.ticket_keys FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.ticket_moves FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.ticket_presence FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.ticket_types FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.tickets FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.users FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.venues FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.waitlist_entries FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.waitlists FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.webhook_deliveries FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.webhooks FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.zone_guests FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY auditor ON public.zones FOR SELECT TO fullhouse_auditor USING (true);

CREATE POLICY changing ON public.public_events FOR UPDATE TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY changing ON public.public_ranks FOR UPDATE TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

ALTER TABLE public.charge_lists ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.checkout_items ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.checkout_sessions ENABLE ROW LEVEL SECURITY;

CREATE POLICY creating ON public.organizations FOR INSERT TO fullhouse_app WITH CHECK ((id = app.org()));

ALTER TABLE public.day_places ENABLE ROW LEVEL SECURITY;

CREATE POLICY directory ON public.event_directory FOR SELECT USING (true);

CREATE POLICY directory ON public.organizations FOR SELECT USING (true);

CREATE POLICY directory ON public.public_events FOR SELECT USING (true);

CREATE POLICY directory ON public.public_ranks FOR SELECT USING (true);

ALTER TABLE public.event_directory ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_layouts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_seats ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_stats ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_zones ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.events ENABLE ROW LEVEL SECURITY;

CREATE POLICY finder ON public.checkout_sessions TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.event_stats TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.events TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.idempotency_keys TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.images TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.invitations TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.magic_links TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.mails TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.orders TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.outbox TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.owed_reactions TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.participations TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.payment_attempts TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.processed_messages TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.queue_entries TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.queue_rooms TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.refund_batches TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.refunds TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.seat_holds TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.sessions TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.ticket_moves TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.tickets TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.waitlist_entries TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.waitlists TO fullhouse_worker USING (true);

CREATE POLICY finder ON public.webhook_deliveries TO fullhouse_worker USING (true);

CREATE POLICY forgetting ON public.public_ranks FOR DELETE TO fullhouse_worker USING ((until_epoch < app.epoch()));

ALTER TABLE public.former_codes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.gates ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.idempotency_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.images ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.invitations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.layout_migrations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.layouts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ledger_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ledger_transactions ENABLE ROW LEVEL SECURITY;

CREATE POLICY listing ON public.event_directory FOR INSERT TO fullhouse_app WITH CHECK ((organization_id = app.org()));

CREATE POLICY listing ON public.public_events FOR INSERT TO fullhouse_app WITH CHECK ((organization_id = app.org()));

CREATE POLICY listing ON public.public_ranks FOR INSERT TO fullhouse_app WITH CHECK ((organization_id = app.org()));

ALTER TABLE public.magic_links ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.mail_readers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.mails ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.memberships ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.notice_recipients ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.notices ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.order_lines ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.order_refunds ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.orders ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.organization_settings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.organizations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.outbox ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.owed_reactions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.participations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.payment_attempts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pools ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.processed_messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.promo_codes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.promo_uses ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.public_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.public_ranks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.queue_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.queue_rooms ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.refund_batches ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.refund_failures ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.refunds ENABLE ROW LEVEL SECURITY;

CREATE POLICY removing ON public.public_events FOR DELETE TO fullhouse_app USING ((organization_id = app.org()));

CREATE POLICY removing ON public.public_ranks FOR DELETE TO fullhouse_app USING ((organization_id = app.org()));

ALTER TABLE public.scan_counts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.scan_devices ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.scan_incidents ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.scans ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.seat_groups ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.seat_holds ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.seat_moves ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.seating_policies ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.seats ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sessions ENABLE ROW LEVEL SECURITY;

CREATE POLICY tenant ON public.api_keys TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.audit_log TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.charge_lists TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.checkout_items TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.checkout_sessions TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.day_places TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.event_layouts TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.event_seats TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.event_stats TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.event_zones TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.events TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.former_codes TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.gates TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.idempotency_keys TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.images TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.invitations TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.layout_migrations TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.layouts TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.ledger_entries TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.ledger_transactions TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.magic_links TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.mail_readers TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.mails TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.memberships TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.notice_recipients TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.notices TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.order_lines TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.order_refunds TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.orders TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.organization_settings TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.outbox TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.owed_reactions TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.participations TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.payment_attempts TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.pools TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.processed_messages TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.promo_codes TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.promo_uses TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.queue_entries TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.queue_rooms TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.refund_batches TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.refund_failures TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.refunds TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.scan_counts TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.scan_devices TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.scan_incidents TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.scans TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.seat_groups TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.seat_holds TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.seat_moves TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.seating_policies TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.seats TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.sessions TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.test_charges TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.ticket_counters TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.ticket_keys TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.ticket_moves TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.ticket_presence TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.ticket_types TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.tickets TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.users TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.venues TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.waitlist_entries TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.waitlists TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.webhook_deliveries TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.webhooks TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.zone_guests TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

CREATE POLICY tenant ON public.zones TO fullhouse_app USING ((organization_id = app.org())) WITH CHECK ((organization_id = app.org()));

ALTER TABLE public.test_charges ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ticket_counters ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ticket_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ticket_moves ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ticket_presence ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ticket_types ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.tickets ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.venues ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.waitlist_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.waitlists ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_deliveries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhooks ENABLE ROW LEVEL SECURITY;

CREATE POLICY writing ON public.organizations FOR UPDATE TO fullhouse_app USING ((id = app.org())) WITH CHECK ((id = app.org()));

ALTER TABLE public.zone_guests ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.zones ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA app TO fullhouse_app;
GRANT USAGE ON SCHEMA app TO fullhouse_worker;
GRANT USAGE ON SCHEMA app TO fullhouse_auditor;

GRANT USAGE ON SCHEMA jobs TO fullhouse_app;
GRANT USAGE ON SCHEMA jobs TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.ticket_types TO fullhouse_app;
GRANT SELECT ON TABLE public.ticket_types TO fullhouse_auditor;

REVOKE ALL ON FUNCTION app.make_audit_months() FROM PUBLIC;
GRANT ALL ON FUNCTION app.make_audit_months() TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.queue_rooms TO fullhouse_app;
GRANT SELECT ON TABLE public.queue_rooms TO fullhouse_auditor;
GRANT SELECT ON TABLE public.queue_rooms TO fullhouse_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.waitlist_entries TO fullhouse_app;
GRANT SELECT ON TABLE public.waitlist_entries TO fullhouse_auditor;
GRANT SELECT ON TABLE public.waitlist_entries TO fullhouse_worker;

GRANT SELECT ON TABLE app.functions TO fullhouse_app;
GRANT SELECT ON TABLE app.functions TO fullhouse_worker;
GRANT SELECT ON TABLE app.functions TO fullhouse_auditor;

GRANT SELECT ON TABLE app.migrations TO fullhouse_app;
GRANT SELECT ON TABLE app.migrations TO fullhouse_worker;
GRANT SELECT ON TABLE app.migrations TO fullhouse_auditor;

GRANT INSERT ON TABLE jobs.history TO fullhouse_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobs.history TO fullhouse_worker;

GRANT USAGE ON SEQUENCE jobs.history_id_seq TO fullhouse_app;
GRANT USAGE ON SEQUENCE jobs.history_id_seq TO fullhouse_worker;

GRANT INSERT ON TABLE jobs.queue TO fullhouse_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobs.queue TO fullhouse_worker;

GRANT SELECT(id) ON TABLE jobs.queue TO fullhouse_app;

GRANT SELECT(priority) ON TABLE jobs.queue TO fullhouse_app;

GRANT SELECT(status) ON TABLE jobs.queue TO fullhouse_app;

GRANT SELECT(entrypoint) ON TABLE jobs.queue TO fullhouse_app;

GRANT SELECT(dedupe_key) ON TABLE jobs.queue TO fullhouse_app;

GRANT USAGE ON SEQUENCE jobs.queue_id_seq TO fullhouse_app;
GRANT USAGE ON SEQUENCE jobs.queue_id_seq TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobs.schedules TO fullhouse_worker;

GRANT USAGE ON SEQUENCE jobs.schedules_id_seq TO fullhouse_app;
GRANT USAGE ON SEQUENCE jobs.schedules_id_seq TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE jobs.statistics TO fullhouse_worker;

GRANT USAGE ON SEQUENCE jobs.statistics_id_seq TO fullhouse_app;
GRANT USAGE ON SEQUENCE jobs.statistics_id_seq TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.api_keys TO fullhouse_app;
GRANT SELECT ON TABLE public.api_keys TO fullhouse_auditor;

GRANT SELECT,INSERT ON TABLE public.audit_log TO fullhouse_app;
GRANT SELECT ON TABLE public.audit_log TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.charge_lists TO fullhouse_app;
GRANT SELECT ON TABLE public.charge_lists TO fullhouse_auditor;

GRANT SELECT,INSERT ON TABLE public.checkout_items TO fullhouse_app;
GRANT SELECT ON TABLE public.checkout_items TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.checkout_sessions TO fullhouse_app;
GRANT SELECT ON TABLE public.checkout_sessions TO fullhouse_auditor;
GRANT SELECT ON TABLE public.checkout_sessions TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.day_places TO fullhouse_app;
GRANT SELECT ON TABLE public.day_places TO fullhouse_auditor;

GRANT SELECT,INSERT ON TABLE public.event_directory TO fullhouse_app;
GRANT SELECT ON TABLE public.event_directory TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.event_layouts TO fullhouse_app;
GRANT SELECT ON TABLE public.event_layouts TO fullhouse_auditor;

GRANT SELECT,INSERT ON TABLE public.outbox TO fullhouse_app;
GRANT SELECT ON TABLE public.outbox TO fullhouse_auditor;
GRANT SELECT,DELETE,UPDATE ON TABLE public.outbox TO fullhouse_worker;

GRANT SELECT ON TABLE public.event_outbox TO fullhouse_app;
GRANT SELECT ON TABLE public.event_outbox TO fullhouse_worker;
GRANT SELECT ON TABLE public.event_outbox TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.event_seats TO fullhouse_app;
GRANT SELECT ON TABLE public.event_seats TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.event_stats TO fullhouse_app;
GRANT SELECT ON TABLE public.event_stats TO fullhouse_auditor;
GRANT SELECT ON TABLE public.event_stats TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.event_zones TO fullhouse_app;
GRANT SELECT ON TABLE public.event_zones TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.events TO fullhouse_app;
GRANT SELECT ON TABLE public.events TO fullhouse_auditor;
GRANT SELECT ON TABLE public.events TO fullhouse_worker;

GRANT SELECT,INSERT ON TABLE public.former_codes TO fullhouse_app;
GRANT SELECT ON TABLE public.former_codes TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.gates TO fullhouse_app;
GRANT SELECT ON TABLE public.gates TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.idempotency_keys TO fullhouse_app;
GRANT SELECT ON TABLE public.idempotency_keys TO fullhouse_auditor;
GRANT SELECT,DELETE ON TABLE public.idempotency_keys TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.images TO fullhouse_app;
GRANT SELECT ON TABLE public.images TO fullhouse_auditor;
GRANT SELECT ON TABLE public.images TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.invitations TO fullhouse_app;
GRANT SELECT ON TABLE public.invitations TO fullhouse_auditor;
GRANT SELECT,DELETE ON TABLE public.invitations TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.layout_migrations TO fullhouse_app;
GRANT SELECT ON TABLE public.layout_migrations TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.layouts TO fullhouse_app;
GRANT SELECT ON TABLE public.layouts TO fullhouse_auditor;

GRANT SELECT,INSERT ON TABLE public.ledger_entries TO fullhouse_app;
GRANT SELECT ON TABLE public.ledger_entries TO fullhouse_auditor;

GRANT SELECT,INSERT ON TABLE public.ledger_transactions TO fullhouse_app;
GRANT SELECT ON TABLE public.ledger_transactions TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.magic_links TO fullhouse_app;
GRANT SELECT ON TABLE public.magic_links TO fullhouse_auditor;
GRANT SELECT,DELETE ON TABLE public.magic_links TO fullhouse_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.mail_readers TO fullhouse_app;
GRANT SELECT ON TABLE public.mail_readers TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.mails TO fullhouse_app;
GRANT SELECT ON TABLE public.mails TO fullhouse_auditor;
GRANT SELECT,DELETE ON TABLE public.mails TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.memberships TO fullhouse_app;
GRANT SELECT ON TABLE public.memberships TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE ON TABLE public.notice_recipients TO fullhouse_app;
GRANT SELECT ON TABLE public.notice_recipients TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.notices TO fullhouse_app;
GRANT SELECT ON TABLE public.notices TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.order_lines TO fullhouse_app;
GRANT SELECT ON TABLE public.order_lines TO fullhouse_auditor;

GRANT SELECT,INSERT ON TABLE public.order_refunds TO fullhouse_app;
GRANT SELECT ON TABLE public.order_refunds TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.orders TO fullhouse_app;
GRANT SELECT ON TABLE public.orders TO fullhouse_auditor;
GRANT SELECT ON TABLE public.orders TO fullhouse_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.organization_settings TO fullhouse_app;
GRANT SELECT ON TABLE public.organization_settings TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.organizations TO fullhouse_app;
GRANT SELECT ON TABLE public.organizations TO fullhouse_worker;
GRANT SELECT ON TABLE public.organizations TO fullhouse_auditor;

GRANT SELECT,INSERT ON TABLE public.owed_reactions TO fullhouse_app;
GRANT SELECT ON TABLE public.owed_reactions TO fullhouse_auditor;
GRANT SELECT,DELETE,UPDATE ON TABLE public.owed_reactions TO fullhouse_worker;

GRANT INSERT ON TABLE public.parked_payments TO fullhouse_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.participations TO fullhouse_app;
GRANT SELECT ON TABLE public.participations TO fullhouse_auditor;
GRANT SELECT ON TABLE public.participations TO fullhouse_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.payment_attempts TO fullhouse_app;
GRANT SELECT ON TABLE public.payment_attempts TO fullhouse_auditor;
GRANT SELECT ON TABLE public.payment_attempts TO fullhouse_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.platform_sessions TO fullhouse_app;
GRANT SELECT,DELETE ON TABLE public.platform_sessions TO fullhouse_worker;

GRANT SELECT ON TABLE public.platform_users TO fullhouse_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.pools TO fullhouse_app;
GRANT SELECT ON TABLE public.pools TO fullhouse_auditor;

GRANT SELECT,INSERT ON TABLE public.processed_messages TO fullhouse_app;
GRANT SELECT ON TABLE public.processed_messages TO fullhouse_auditor;
GRANT SELECT,DELETE ON TABLE public.processed_messages TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.promo_codes TO fullhouse_app;
GRANT SELECT ON TABLE public.promo_codes TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.promo_uses TO fullhouse_app;
GRANT SELECT ON TABLE public.promo_uses TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.public_events TO fullhouse_app;
GRANT SELECT ON TABLE public.public_events TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.public_ranks TO fullhouse_app;
GRANT SELECT ON TABLE public.public_ranks TO fullhouse_auditor;
GRANT SELECT,DELETE ON TABLE public.public_ranks TO fullhouse_worker;

GRANT SELECT ON TABLE public.shows_of_any_house TO fullhouse_app;
GRANT SELECT ON TABLE public.shows_of_any_house TO fullhouse_auditor;

GRANT SELECT ON TABLE public.public_shows TO fullhouse_app;
GRANT SELECT ON TABLE public.public_shows TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.queue_entries TO fullhouse_app;
GRANT SELECT ON TABLE public.queue_entries TO fullhouse_auditor;
GRANT SELECT ON TABLE public.queue_entries TO fullhouse_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.refund_batches TO fullhouse_app;
GRANT SELECT ON TABLE public.refund_batches TO fullhouse_auditor;
GRANT SELECT ON TABLE public.refund_batches TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.refund_failures TO fullhouse_app;
GRANT SELECT ON TABLE public.refund_failures TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.refunds TO fullhouse_app;
GRANT SELECT ON TABLE public.refunds TO fullhouse_auditor;
GRANT SELECT ON TABLE public.refunds TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.scan_counts TO fullhouse_app;
GRANT SELECT ON TABLE public.scan_counts TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.scan_devices TO fullhouse_app;
GRANT SELECT ON TABLE public.scan_devices TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.scan_incidents TO fullhouse_app;
GRANT SELECT ON TABLE public.scan_incidents TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.scans TO fullhouse_app;
GRANT SELECT ON TABLE public.scans TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.seat_groups TO fullhouse_app;
GRANT SELECT ON TABLE public.seat_groups TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.seat_holds TO fullhouse_app;
GRANT SELECT ON TABLE public.seat_holds TO fullhouse_auditor;
GRANT SELECT ON TABLE public.seat_holds TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.seat_moves TO fullhouse_app;
GRANT SELECT ON TABLE public.seat_moves TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.seating_policies TO fullhouse_app;
GRANT SELECT ON TABLE public.seating_policies TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.seats TO fullhouse_app;
GRANT SELECT ON TABLE public.seats TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sessions TO fullhouse_app;
GRANT SELECT ON TABLE public.sessions TO fullhouse_auditor;
GRANT SELECT,DELETE ON TABLE public.sessions TO fullhouse_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.test_charges TO fullhouse_app;
GRANT SELECT ON TABLE public.test_charges TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.ticket_counters TO fullhouse_app;
GRANT SELECT ON TABLE public.ticket_counters TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.ticket_keys TO fullhouse_app;
GRANT SELECT ON TABLE public.ticket_keys TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.ticket_moves TO fullhouse_app;
GRANT SELECT ON TABLE public.ticket_moves TO fullhouse_auditor;
GRANT SELECT ON TABLE public.ticket_moves TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.ticket_presence TO fullhouse_app;
GRANT SELECT ON TABLE public.ticket_presence TO fullhouse_auditor;

GRANT SELECT,INSERT,UPDATE ON TABLE public.tickets TO fullhouse_app;
GRANT SELECT ON TABLE public.tickets TO fullhouse_auditor;
GRANT SELECT ON TABLE public.tickets TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.users TO fullhouse_app;
GRANT SELECT ON TABLE public.users TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.venues TO fullhouse_app;
GRANT SELECT ON TABLE public.venues TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.waitlists TO fullhouse_app;
GRANT SELECT ON TABLE public.waitlists TO fullhouse_auditor;
GRANT SELECT ON TABLE public.waitlists TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_deliveries TO fullhouse_app;
GRANT SELECT ON TABLE public.webhook_deliveries TO fullhouse_auditor;
GRANT SELECT,DELETE ON TABLE public.webhook_deliveries TO fullhouse_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhooks TO fullhouse_app;
GRANT SELECT ON TABLE public.webhooks TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.zone_guests TO fullhouse_app;
GRANT SELECT ON TABLE public.zone_guests TO fullhouse_auditor;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.zones TO fullhouse_app;
GRANT SELECT ON TABLE public.zones TO fullhouse_auditor;
