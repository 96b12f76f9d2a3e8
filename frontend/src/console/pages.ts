// The pages of the console. Users see only the pages that they have the right for; the side bar lists those with a
// section. Pages of the section `Event` belong to one event and are in the side bar while it is open.

import type { Component } from 'svelte';
import type { Api } from '../lib/api';
import type { Me } from './session.svelte';
import { t } from './words/frame';

export interface PageProps {
  api: Api;
  me: Me;
  params: Record<string, string>;
}

export type Section = 'Insights' | 'Events' | 'Sales' | 'People' | 'Settings' | 'Platform' | 'Event';

export interface PageRow {
  path: string;
  title: string;
  right: string | null;
  section: Section | null;
  load: () => Promise<{ default: Component<PageProps> }>;
}

export const PAGES: readonly PageRow[] = [
  { path: '/', title: t.titles.overview, right: 'events.read', section: 'Insights', load: () => import('./pages/Overview.svelte') },
  { path: '/metrics', title: t.titles.metrics, right: 'sales.read', section: 'Insights', load: () => import('./pages/Metrics.svelte') },
  { path: '/reports', title: t.titles.reports, right: 'sales.read', section: 'Insights', load: () => import('./pages/Reports.svelte') },
  { path: '/audit', title: t.titles.auditLog, right: 'audit.read', section: 'Insights', load: () => import('./pages/Audit.svelte') },

  { path: '/events', title: t.titles.events, right: 'events.read', section: 'Events', load: () => import('./pages/Events.svelte') },
  { path: '/events/new', title: t.titles.createEvent, right: 'events.create', section: null, load: () => import('./pages/NewShow.svelte') },
  { path: '/venues', title: t.titles.venuesAndGates, right: 'venues.read', section: 'Events', load: () => import('./pages/Venues.svelte') },
  { path: '/venues/:id', title: t.titles.venue, right: 'venues.read', section: null, load: () => import('./pages/Venue.svelte') },
  { path: '/layouts', title: t.titles.layouts, right: 'layouts.read', section: 'Events', load: () => import('./pages/Layouts.svelte') },
  { path: '/layouts/new', title: t.titles.newLayout, right: 'layouts.write', section: null, load: () => import('./pages/LayoutNew.svelte') },
  { path: '/layouts/:id', title: t.titles.layout, right: 'layouts.read', section: null, load: () => import('./pages/Layout.svelte') },
  { path: '/layouts/:id/compare/:since', title: t.titles.whatChanged, right: 'layouts.read', section: null, load: () => import('./pages/LayoutChanges.svelte') },

  { path: '/events/:id', title: t.titles.thisEvent, right: 'events.read', section: 'Event', load: () => import('./pages/Show.svelte') },
  { path: '/events/:id/details', title: t.titles.details, right: 'events.update', section: 'Event', load: () => import('./pages/Details.svelte') },
  { path: '/events/:id/seating', title: t.titles.seating, right: 'seating.read', section: 'Event', load: () => import('./pages/ShowSeating.svelte') },
  { path: '/events/:id/rules', title: t.titles.seatingRules, right: 'seating.read', section: 'Event', load: () => import('./pages/ShowPolicy.svelte') },
  { path: '/events/:id/tickets', title: t.titles.ticketsAndPrices, right: 'sales.read', section: 'Event', load: () => import('./pages/Tickets.svelte') },
  { path: '/events/:id/orders', title: t.titles.orders, right: 'orders.read', section: 'Event', load: () => import('./pages/Orders.svelte') },
  { path: '/events/:id/queue', title: t.titles.waitingRoom, right: 'queue.read', section: 'Event', load: () => import('./pages/Queue.svelte') },
  { path: '/events/:id/waitlist', title: t.titles.waitlist, right: 'waitlist.read', section: 'Event', load: () => import('./pages/Waitlist.svelte') },
  { path: '/events/:id/report', title: t.titles.report, right: 'sales.read', section: 'Event', load: () => import('./pages/ShowReport.svelte') },
  { path: '/events/:id/doors', title: t.titles.liveAttendance, right: 'scanning.watch', section: 'Event', load: () => import('./pages/Doors.svelte') },
  { path: '/events/:id/devices', title: t.titles.devicesAndIncidents, right: 'scanning.watch', section: 'Event', load: () => import('./pages/ShowDevices.svelte') },
  { path: '/events/:id/ledger', title: t.titles.ledger, right: 'ledger.read', section: 'Event', load: () => import('./pages/Ledger.svelte') },

  { path: '/orders', title: t.titles.orders, right: 'orders.read', section: 'Sales', load: () => import('./pages/Orders.svelte') },
  { path: '/orders/:id', title: t.titles.order, right: 'orders.read', section: null, load: () => import('./pages/Order.svelte') },
  { path: '/charges', title: t.titles.feesAndTaxes, right: 'sales.read', section: 'Sales', load: () => import('./pages/HouseCharges.svelte') },
  { path: '/ledger', title: t.titles.ledger, right: 'ledger.read', section: 'Sales', load: () => import('./pages/Ledger.svelte') },

  { path: '/members', title: t.titles.members, right: 'memberships.read', section: 'People', load: () => import('./pages/Members.svelte') },
  { path: '/team', title: t.titles.team, right: 'members.read', section: 'People', load: () => import('./pages/Team.svelte') },

  { path: '/organisation', title: t.titles.organisation, right: 'org.update', section: 'Settings', load: () => import('./pages/OwnOrganization.svelte') },
  { path: '/rules', title: t.titles.seatingRules, right: 'seating.read', section: 'Settings', load: () => import('./pages/Policy.svelte') },
  { path: '/sites', title: t.titles.widget, right: 'org.update', section: 'Settings', load: () => import('./pages/OtherSites.svelte') },
  { path: '/letters', title: t.titles.emails, right: 'mail_templates.read', section: 'Settings', load: () => import('./pages/Letters.svelte') },
  { path: '/mailbox', title: t.titles.mailbox, right: 'mailbox.read', section: 'Settings', load: () => import('./pages/Mailbox.svelte') },
  { path: '/keys', title: t.titles.apiKeys, right: 'keys.read', section: 'Settings', load: () => import('./pages/Keys.svelte') },
  { path: '/webhooks', title: t.titles.webhooks, right: 'webhooks.read', section: 'Settings', load: () => import('./pages/Webhooks.svelte') },
  { path: '/webhooks/:id', title: t.titles.webhook, right: 'webhooks.read', section: null, load: () => import('./pages/Webhook.svelte') },

  { path: '/platform/organizations', title: t.titles.organisations, right: 'platform.orgs.read', section: 'Platform', load: () => import('./pages/Organizations.svelte') },
  { path: '/platform/organizations/:id', title: t.titles.organisation, right: 'platform.orgs.read', section: null, load: () => import('./pages/Organization.svelte') },
  { path: '/platform/organizations/:id/events/:show/seats', title: t.titles.seats, right: 'platform.seating.release', section: null, load: () => import('./pages/StrandedSeats.svelte') },
];
