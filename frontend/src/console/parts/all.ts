// A short list in one piece, however many pages it comes in: venues, gates, versions.

import type { Api } from '../../lib/api';
import type { Giving } from '../../lib/routes';

const PAGES_MAX = 10;

export async function all<Row>(api: Api, path: Giving<'GET', Row, 'row'>): Promise<Row[]> {
  const rows: Row[] = [];
  const ask = `${path}${path.includes('?') ? '&' : '?'}limit=200`;
  let cursor: string | null = null;
  for (let n = 0; n < PAGES_MAX; n++) {
    const page: { data: Row[]; next_cursor: string | null } = await api.page<Row>((cursor ? `${ask}&cursor=${encodeURIComponent(cursor)}` : ask) as typeof path);
    rows.push(...page.data);
    cursor = page.next_cursor;
    if (!cursor) break;
  }
  return rows;
}
