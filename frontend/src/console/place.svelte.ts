// The console's address in the browser's history. Links are plain links; clicks on them are routed here.

import { t } from './words/frame';

export const BASE = '/console';

interface Place {
  path: string;
  query: URLSearchParams;
  words: string; // a search text, which must not be in the address
}

let here: Place = $state.raw(read());
let leaving: (() => boolean) | null = null;

export function place(): Place {
  return here;
}

/** The address of a page, for links. */
export function to(path: string): string {
  return BASE + (path === '/' ? '' : path);
}

export function go(path: string, options: { replace?: boolean } = {}): void {
  if (!mayLeave()) return;
  history[options.replace ? 'replaceState' : 'pushState'](null, '', to(path));
  here = read();
  if (!options.replace) window.scrollTo(0, 0);
}

/** Changes the query string of the same page; without a history entry unless requested. */
export function ask(query: Record<string, string | null>, options: { step?: boolean } = {}): void {
  const next = new URLSearchParams(here.query);
  for (const [name, value] of Object.entries(query)) value ? next.set(name, value) : next.delete(name);
  const text = next.toString();
  const address = location.pathname + (text ? `?${text}` : '');
  if (options.step) history.pushState({ step: true }, '', address);
  else history.replaceState(history.state, '', address);
  here = read();
  if (options.step) window.scrollTo(0, 0);
}

/** Goes back by the history entry that `ask` made, if it made one. */
export function stepBack(): boolean {
  const taken = Boolean((history.state as { step?: boolean } | null)?.step);
  if (taken) history.back();
  return taken;
}

/** Words that may name a person stay with the page in the history: its address is copied, logged and seen by others. */
export function note(words: string): void {
  history.replaceState({ words }, '');
  here = read();
}

/** Asks before a page with unsaved changes is left. Call the returned function when the page is gone. */
export function guard(unsaved: () => boolean): () => void {
  leaving = unsaved;
  const warn = (event: BeforeUnloadEvent) => unsaved() && event.preventDefault();
  addEventListener('beforeunload', warn);
  return () => {
    removeEventListener('beforeunload', warn);
    if (leaving === unsaved) leaving = null;
  };
}

/** For the whole console: plain clicks on its own links do not load a page. */
export function takeClicks(event: MouseEvent): void {
  const link = (event.target as Element).closest('a');
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.target || link.hasAttribute('download') || link.origin !== location.origin || !(link.pathname + '/').startsWith(`${BASE}/`)) return;
  event.preventDefault();
  if (link.pathname + link.search !== location.pathname + location.search) go(link.pathname.slice(BASE.length) + link.search || '/');
}

function mayLeave(): boolean {
  return !leaving?.() || confirm(t.leaveUnsaved);
}

function read(): Place {
  return { path: location.pathname.slice(BASE.length) || '/', query: new URLSearchParams(location.search), words: (history.state as { words?: string } | null)?.words ?? '' };
}

addEventListener('popstate', () => {
  here = read();
});
