// Addresses, without a browser: which row of a table an address means, and what it names.

export type Params = Record<string, string>;

/** `/events/:id` against `/events/17`: `{ id: '17' }`; null if it is another page's. */
export function match(pattern: string, path: string): Params | null {
  const wanted = pieces(pattern);
  const given = pieces(path);
  if (wanted.length !== given.length) return null;
  const params: Params = {};
  for (const [n, piece] of wanted.entries()) {
    const here = given[n] ?? '';
    if (piece.startsWith(':')) params[piece.slice(1)] = decode(here);
    else if (piece !== here) return null;
  }
  return params;
}

/** The first row that fits; rows without names in them win over `:id`. */
export function find<Row extends { path: string }>(rows: readonly Row[], path: string): { row: Row; params: Params } | null {
  const found = rows.flatMap((row) => {
    const params = match(row.path, path);
    return params ? [{ row, params }] : [];
  });
  found.sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length);
  return found[0] ?? null;
}

/** `/events/:id` and `{ id: '17' }`: `/events/17`. */
export function fill(pattern: string, params: Params): string {
  return '/' + pieces(pattern).map((piece) => (piece.startsWith(':') ? encodeURIComponent(params[piece.slice(1)] ?? '') : piece)).join('/');
}

function pieces(path: string): string[] {
  return path.split('/').filter(Boolean);
}

function decode(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}
