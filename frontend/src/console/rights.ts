// A person sees what they may do, and nothing else. The server refuses the rest anyway.

import { fill, type Params } from './router';

interface Reader {
  rights: ReadonlySet<string>;
}

interface Row<Section extends string> {
  path: string;
  title: string;
  right: string | null;
  section: Section | null;
}

export function may(me: Reader, right: string | null): boolean {
  return right === null || me.rights.has(right);
}

export interface Link {
  path: string;
  title: string;
}

/** The side bar: sections in the order in which the table names them first, each with the pages that are open to me. */
export function sections<S extends string>(rows: readonly Row<S>[], me: Reader, params: Params = {}): { section: S; links: Link[] }[] {
  const found = new Map<S, Link[]>();
  for (const row of rows) {
    if (row.section === null || !may(me, row.right)) continue;
    const links = found.get(row.section) ?? [];
    found.set(row.section, [...links, { path: fill(row.path, params), title: row.title }]);
  }
  return [...found].map(([section, links]) => ({ section, links }));
}

/** The link of an address: the longest one that it begins with. */
export function current(links: readonly Link[], path: string): Link | null {
  const fits = links.filter((link) => link.path === path || (link.path !== '/' && path.startsWith(`${link.path}/`)));
  return fits.sort((a, b) => b.path.length - a.path.length)[0] ?? null;
}
