// The pages of the console. A person sees only rows whose right they have; the side bar is made of those with a section.
// Rows of the section `Show` belong to one show, and stand in the side bar while it is open.

import type { Component } from 'svelte';
import type { Api } from '../lib/api';
import type { Me } from './session.svelte';

export interface PageProps {
  api: Api;
  me: Me;
  params: Record<string, string>;
}

export type Section = 'House' | 'Programme' | 'Sales' | 'Doors' | 'People' | 'Settings' | 'Platform' | 'Show';

export interface PageRow {
  path: string;
  title: string;
  right: string | null;
  section: Section | null;
  load: () => Promise<{ default: Component<PageProps> }>;
}

export const PAGES: readonly PageRow[] = [
  { path: '/', title: 'Overview', right: 'events.read', section: 'House', load: () => import('./pages/Overview.svelte') },
  { path: '/metrics', title: 'Metrics', right: 'sales.read', section: 'House', load: () => import('./pages/Metrics.svelte') },
  { path: '/reports', title: 'Reports', right: 'sales.read', section: 'House', load: () => import('./pages/Reports.svelte') },
  { path: '/audit', title: 'Audit', right: 'audit.read', section: 'House', load: () => import('./pages/Audit.svelte') },

  { path: '/events', title: 'Shows', right: 'events.read', section: 'Programme', load: () => import('./pages/Events.svelte') },
  { path: '/events/new', title: 'New show', right: 'events.create', section: null, load: () => import('./pages/NewShow.svelte') },
  { path: '/venues', title: 'Venues and gates', right: 'venues.read', section: 'Programme', load: () => import('./pages/Venues.svelte') },
  { path: '/venues/:id', title: 'Venue', right: 'venues.read', section: null, load: () => import('./pages/Venue.svelte') },
  { path: '/layouts', title: 'Layouts', right: 'layouts.read', section: 'Programme', load: () => import('./pages/Layouts.svelte') },
  { path: '/layouts/new', title: 'New layout', right: 'layouts.write', section: null, load: () => import('./pages/LayoutNew.svelte') },
  { path: '/layouts/:id', title: 'Layout', right: 'layouts.read', section: null, load: () => import('./pages/Layout.svelte') },
  { path: '/layouts/:id/compare/:since', title: 'What changed', right: 'layouts.read', section: null, load: () => import('./pages/LayoutChanges.svelte') },

  { path: '/events/:id', title: 'This show', right: 'events.read', section: 'Show', load: () => import('./pages/Show.svelte') },
  { path: '/events/:id/details', title: 'Details', right: 'events.update', section: 'Show', load: () => import('./pages/Details.svelte') },
  { path: '/events/:id/seating', title: 'Seating', right: 'seating.read', section: 'Show', load: () => import('./pages/ShowSeating.svelte') },
  { path: '/events/:id/rules', title: 'Seating rules', right: 'seating.read', section: 'Show', load: () => import('./pages/ShowPolicy.svelte') },
  { path: '/events/:id/tickets', title: 'Tickets and prices', right: 'sales.read', section: 'Show', load: () => import('./pages/Tickets.svelte') },
  { path: '/events/:id/orders', title: 'Orders', right: 'orders.read', section: 'Show', load: () => import('./pages/Orders.svelte') },
  { path: '/events/:id/queue', title: 'Queue and checkout', right: 'queue.read', section: 'Show', load: () => import('./pages/Queue.svelte') },
  { path: '/events/:id/report', title: 'Report', right: 'sales.read', section: 'Show', load: () => import('./pages/ShowReport.svelte') },
  { path: '/events/:id/doors', title: 'Live occupancy', right: 'scanning.watch', section: 'Show', load: () => import('./pages/Doors.svelte') },
  { path: '/events/:id/devices', title: 'Devices and incidents', right: 'scanning.watch', section: 'Show', load: () => import('./pages/ShowDevices.svelte') },
  { path: '/events/:id/ledger', title: 'Ledger', right: 'ledger.read', section: 'Show', load: () => import('./pages/Ledger.svelte') },

  { path: '/orders', title: 'Orders', right: 'orders.read', section: 'Sales', load: () => import('./pages/Orders.svelte') },
  { path: '/orders/:id', title: 'Order', right: 'orders.read', section: null, load: () => import('./pages/Order.svelte') },
  { path: '/charges', title: 'Fees and taxes', right: 'sales.read', section: 'Sales', load: () => import('./pages/HouseCharges.svelte') },
  { path: '/ledger', title: 'Ledger', right: 'ledger.read', section: 'Sales', load: () => import('./pages/Ledger.svelte') },

  { path: '/members', title: 'Members', right: 'memberships.read', section: 'People', load: () => import('./pages/Members.svelte') },
  { path: '/team', title: 'Team', right: 'members.read', section: 'People', load: () => import('./pages/Team.svelte') },

  { path: '/rules', title: 'Seating rules', right: 'seating.read', section: 'Settings', load: () => import('./pages/Policy.svelte') },
  { path: '/sites', title: 'In other sites', right: 'org.update', section: 'Settings', load: () => import('./pages/OtherSites.svelte') },
  { path: '/letters', title: 'Letters', right: 'mail_templates.read', section: 'Settings', load: () => import('./pages/Letters.svelte') },
  { path: '/mailbox', title: 'Mailbox', right: 'mailbox.read', section: 'Settings', load: () => import('./pages/Mailbox.svelte') },
  { path: '/keys', title: 'API keys', right: 'keys.read', section: 'Settings', load: () => import('./pages/Keys.svelte') },
  { path: '/webhooks', title: 'Webhooks', right: 'webhooks.read', section: 'Settings', load: () => import('./pages/Webhooks.svelte') },
  { path: '/webhooks/:id', title: 'Webhook', right: 'webhooks.read', section: null, load: () => import('./pages/Webhook.svelte') },

  { path: '/platform/organizations', title: 'Organisations', right: 'platform.orgs.read', section: 'Platform', load: () => import('./pages/Organizations.svelte') },
  { path: '/platform/organizations/:id', title: 'Organisation', right: 'platform.orgs.read', section: null, load: () => import('./pages/Organization.svelte') },
  { path: '/platform/organizations/:id/events/:show/seats', title: 'Seats', right: 'platform.seating.release', section: null, load: () => import('./pages/StrandedSeats.svelte') },
];
