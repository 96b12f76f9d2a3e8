// Layouts as the API tells of them.

import type { Layout } from '../../lib/contract';

export type { Layout, LayoutView, Venue, Zone } from '../../lib/contract';

/** Versions that belong together, the newest first; families by their newest version. */
export function families(layouts: readonly Layout[]): Layout[][] {
  const found = new Map<string, Layout[]>();
  for (const layout of layouts) found.set(layout.family_id, [...(found.get(layout.family_id) ?? []), layout]);
  const sorted = [...found.values()].map((versions) => versions.toSorted((a, b) => b.version - a.version));
  return sorted.toSorted((a, b) => b[0]!.created_at.localeCompare(a[0]!.created_at));
}
