// Downloads a CSV export page by page, with the page's session, and saves it as one file.

import type { Api } from '../../lib/api';
import { save } from '../../lib/files/save';

export async function download(api: Api, path: string, name: string): Promise<void> {
  const parts: string[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor ? `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}` : '';
    const answer = await api.bytes(path + more, { accept: 'text/csv' });
    const text = await answer.text();
    parts.push(cursor ? text.slice(text.indexOf('\n') + 1) : text);
    cursor = answer.headers.get('x-next-cursor');
  } while (cursor);
  save(new Blob(parts, { type: 'text/csv' }), name);
}
