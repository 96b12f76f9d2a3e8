// Layouts as the API tells of them.

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
  created_at: string;
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

export interface LayoutView extends Layout {
  zones: Zone[];
}

export interface Venue {
  id: string;
  slug: string;
  name: string;
  kind: string;
  timezone: string;
  address: string | null;
  city: string;
  country: string;
  latitude: number | null;
  longitude: number | null;
  max_capacity: number;
  settings: Record<string, unknown>;
  version: number;
}

/** Versions that belong together, the newest first; families by their newest version. */
export function families(layouts: readonly Layout[]): Layout[][] {
  const found = new Map<string, Layout[]>();
  for (const layout of layouts) found.set(layout.family_id, [...(found.get(layout.family_id) ?? []), layout]);
  const sorted = [...found.values()].map((versions) => versions.toSorted((a, b) => b.version - a.version));
  return sorted.toSorted((a, b) => b[0]!.created_at.localeCompare(a[0]!.created_at));
}
