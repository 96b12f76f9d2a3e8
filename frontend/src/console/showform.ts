// An event as form values: texts, and local times of the venue.

import type { Show } from './types';
import { t } from './words/lifecycle';
import { fromLocal, toLocal } from './zoned';

export interface ShowForm {
  name: string;
  description: string;
  category: string;
  venue_id: string;
  slug: string;
  start_at: string;
  end_at: string;
  doors_at: string;
  sale_start_at: string;
  sale_end_at: string;
  capacity: string;
  day_boundary: string;
  replaced_by_event_id: string;
  cover_image_ids: string[];
}

export const TIMES = ['start_at', 'end_at', 'doors_at', 'sale_start_at', 'sale_end_at'] as const;
export const EMPTY: ShowForm = {
  name: '', description: '', category: '', venue_id: '', slug: '', start_at: '', end_at: '', doors_at: '', sale_start_at: '', sale_end_at: '',
  capacity: '', day_boundary: '', replaced_by_event_id: '', cover_image_ids: [],
}; // prettier-ignore

export function toForm(show: Show): ShowForm {
  const times = Object.fromEntries(TIMES.map((name) => [name, toLocal(show[name], show.timezone)])) as Pick<ShowForm, (typeof TIMES)[number]>;
  return {
    ...times,
    name: show.name,
    description: show.description,
    category: show.category,
    venue_id: show.venue_id ?? '',
    slug: show.slug,
    capacity: show.capacity ? String(show.capacity) : '',
    day_boundary: String(show.settings.day_boundary ?? ''),
    replaced_by_event_id: show.replaced_by_event_id ?? '',
    cover_image_ids: show.cover_image_ids,
  };
}

/** The request body: only what has changed, with times as moments. `settings` are the event's current ones. */
export function toBody(form: Partial<ShowForm>, timeZone: string, settings: Record<string, unknown>): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(form)) {
    if ((TIMES as readonly string[]).includes(name)) {
      const moment = fromLocal(value as string, timeZone);
      if (moment) body[name] = moment;
    } else if (name === 'capacity') body.capacity = Number(value) || 0;
    else if (name === 'replaced_by_event_id') body[name] = value || null;
    else if (name === 'day_boundary') {
      const { day_boundary: _, ...others } = settings;
      body.settings = value ? { ...others, day_boundary: value } : others;
    } else if (name !== 'slug' || value) body[name] = typeof value === 'string' ? value.trim() : value;
  }
  return body;
}

export const LABELS: Record<keyof ShowForm, string> = {
  name: t.name, description: t.description, category: t.category, venue_id: t.venue, slug: t.addressInShop, start_at: t.start, end_at: t.end, doors_at: t.doors,
  sale_start_at: t.salesStart, sale_end_at: t.salesEnd, capacity: t.capacity, day_boundary: t.dayEndsAt, replaced_by_event_id: t.replacedBy, cover_image_ids: t.pictures,
}; // prettier-ignore
