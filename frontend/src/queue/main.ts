// The waiting room. It polls as often as the server asks, and shows the response. The position is stored by the server: this
// page may be closed, reloaded, or opened twice. Very many people load it at once, so it shares no code with other programs.

import type { Place } from '../lib/contract';
import './queue.css';

interface Refusal {
  detail?: string;
  code?: string;
  wait_s?: number;
}
/** What is thrown for an error response; if the server was not reached, these fields are missing. */
interface Refused extends Error {
  status: number;
  told: Refusal;
  after: number;
}

const $ = (id: string) => document.getElementById(id)!;
// What stays the same is not written again: a screen reader would say it again.
const put = (id: string, text: string) => $(id).textContent === text || ($(id).textContent = text);
const show = (id: string, is: unknown) => ($(id).hidden = !is);
const { event, organization, house, zone } = document.body.dataset as Record<string, string>;
const { lang } = document.documentElement;
const { title } = document;
const path = `/api/events/${event}/queue`;
const kept = `fullhouse:queue:${event}`;
const words: Record<string, string> = JSON.parse($('words').textContent!);
const rejoin = $('rejoin') as HTMLButtonElement;
const sure = $('sure') as HTMLDialogElement;
const HOUR_MS = 3_600_000;
let token: string | null = localStorage[kept] ?? null;
let first = 0;
let timer = 0;
let wait = 0;
let heard = 0;
let until = 0;
let tries = 0;
let keeps = '';

const said = (key: string, values: Record<string, unknown> = {}) => words[key]!.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));

// --- the server

async function call(method: string, headers: Record<string, string> = {}, address = path, body?: string): Promise<Place> {
  const type: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
  const answer = await fetch(address, { method, body: body ?? null, headers: { 'x-organization': house!, ...type, ...headers } });
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(), { status: answer.status, told, after: Number(answer.headers.get('retry-after')) });
  return told.data;
}

/** With the promo code of this visit, which the shop has stored: it may unlock tickets when everything else is sold out. */
const joinNow = () => call('POST', {}, path, sessionStorage[`${kept}:join`]);

async function join(): Promise<Place> {
  try {
    return await joinNow();
  } catch (error) {
    if ((error as Refused).status !== 401) throw error;
    await call('POST', {}, '/api/auth/guest', JSON.stringify({ organization }));
    localStorage.setItem(`fullhouse:${organization}`, '1');
    return joinNow();
  }
}

/** Reads the position, or joins the queue. Nobody watches this page for an hour: temporary errors are retried. */
async function ask(): Promise<void> {
  try {
    hear(await (token ? call('GET', { 'x-queue-token': token }) : join()));
    tries = 0;
  } catch (error) {
    const { status = 0, told = {}, after = 0 } = error as Partial<Refused>;
    if (token && (status === 403 || status === 404)) return enter();
    if (status && status < 500 && (status !== 429 || told.code === 'queue_cooldown') && told.code !== 'checkout_full') return refused(told);
    put('hint', said(status ? 'busy' : 'offline') + (token ? ` ${said('kept')}` : ''));
    again(Math.max(after, Math.min(60, 3 * 2 ** tries++)), 1.5);
  }
}

function enter(): Promise<void> {
  token = null;
  return ask();
}

/** Polls again after this time, at the earliest, with some jitter. */
function again(seconds: number, spread = 1.2) {
  clearTimeout(timer);
  timer = setTimeout(ask, seconds * 1000 * (1 + Math.random() * (spread - 1)));
}

// --- what is shown

const ROOMS: Record<string, string> = { pre: 'early', paused: 'paused' };
const REFUSALS: Record<string, string> = { queue_cooldown: 'left', queue_closed: 'closed', sold_out: 'sold_out' };
const more = (state: string) => words[`${state}_more`] ?? '';

/** The opening time in the venue's time zone, since people may wait elsewhere. */
function opens({ opens_at }: Place): string {
  if (!opens_at) return '';
  const time = new Date(opens_at).toLocaleString(lang === 'en' ? 'en-GB' : lang, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZone: zone });
  return said('opens_at', { time, zone: zone!.replaceAll('_', ' ') });
}

function hear(now: Place) {
  const { position, status } = now;
  if (now.token) localStorage[kept] = token = now.token;
  heard = Date.now();
  const waiting = status === 'waiting';
  const admitted = status === 'admitted';
  const state = waiting ? (ROOMS[now.room] ?? status) : status;
  const early = state === 'early';
  keeps = admitted ? 'begin' : early ? 'opens_in' : waiting ? 'keeps' : '';
  until = heard + ((early ? now.opens_at_unix_ms : now.expires_at_unix_ms) ?? 0) - now.server_time_unix_ms;
  const numbered = waiting && position !== null;
  put('word', said(state));
  show('number', numbered);
  show('facts', waiting && !early);
  show('way', numbered && !early);
  if (numbered) {
    first = Math.max(first, position);
    put('number', position.toLocaleString(lang));
    ($('way').firstElementChild as HTMLElement).style.width = `${Math.round((100 * (first - position + 1)) / (first + 1))}%`;
    put('ahead', now.ahead!.toLocaleString(lang));
    put('eta', span(now.eta_low_s, now.eta_high_s!));
  }
  put('hint', (early ? `${opens(now)} ` : '') + more(state));
  show('enter', ['admitted', 'sold_out', 'closed', 'done'].includes(status));
  put('enter', said(admitted ? 'choose' : 'back'));
  show('leave', waiting);
  show('fine', (waiting && !early) || admitted);
  show('early', early); // before the draw a position does not expire
  show('rejoin', ['expired', 'left'].includes(status));
  show('fair', (waiting || admitted) && now.seed_hash && now.room !== 'pre'); // before the draw only its hash is published
  document.title = (numbered ? `(${position}) ` : admitted ? `${said('admitted')} · ` : '') + title;
  if (admitted && !sessionStorage[kept]) {
    sessionStorage[kept] = 1;
    location.assign(($('enter') as HTMLAnchorElement).href);
  }
  if (waiting || admitted) again(now.next_poll_s);
  tick();
}

function refused({ code, detail, wait_s = 0 }: Refusal) {
  const state = REFUSALS[code!];
  put('word', said(state ?? 'not_now'));
  // The server's own sentence is English.
  put('hint', state ? more(state) : (words[`no_${code}`] ?? ((lang === 'en' && detail) || said('wrong'))));
  for (const id of ['number', 'facts', 'way', 'leave', 'fine', 'early', 'fair']) show(id, false);
  show('rejoin', state !== 'sold_out');
  show('enter', true);
  put('enter', said('back'));
  keeps = '';
  wait = Date.now() + wait_s * 1000;
  tick();
}

function span(low: number | null, high: number): string {
  if (low === null) return said('unknown');
  const [a, b] = [Math.ceil(low / 60), Math.ceil(high / 60)];
  return b <= 1 ? said('a_minute') : a === b ? said('about', { n: b }) : said('between', { a, b });
}

/** 4:05 */
function clock(ms: number): string {
  const s = Math.ceil(ms / 1000);
  return `${Math.floor(s / 60)}:${`${s % 60}`.padStart(2, '0')}`;
}

function tick() {
  const now = Date.now();
  const left = wait - now;
  if (heard) put('updated', said('ago', { n: Math.round((now - heard) / 1000) }));
  const rest = until - now;
  put('left', keeps && rest > 0 && rest < HOUR_MS ? said(keeps, { time: clock(rest) }) : ''); // for longer times the date is shown
  rejoin.disabled = left > 0;
  put('rejoin', left > 0 ? said('again', { time: clock(left) }) : said('join'));
}

// --- actions

$('leave').onclick = () => sure.showModal();
sure.onclose = async () => {
  if (sure.returnValue !== 'leave') return;
  clearTimeout(timer);
  const refusal = await call('DELETE').then(() => null, (error) => error);
  if (refusal?.told?.code === 'in_checkout') return refused(refusal.told);
  localStorage.removeItem(kept);
  enter();
};
rejoin.onclick = enter;
setInterval(tick, 1000);
ask();
