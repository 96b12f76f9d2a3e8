// Who reads the console: signed in to one of the organisations in the browser's cookie, or as the platform's own staff.

import { Api, Problem } from '../lib/api';
import { t } from './words/frame';
import type * as contract from '../lib/contract';

/** The signed-in user and their rights. Platform staff have no organisation; only they have a platform role. */
export interface Me {
  id: string;
  name: string;
  email: string | null;
  role: string;
  organization: Organization | null;
  rights: ReadonlySet<string>;
  platform: string | null;
}

/** With the organisation's currency, time zone and language. */
export type Organization = contract.Organization & typeof HOME;

/** An organisation that this browser is signed in to. */
export type House = contract.OpenSession;

const CHOSEN = 'fullhouse.console.organization';
const PLATFORM = 'fullhouse.console.platform';
const HOME = { currency: 'EUR', timezone: 'UTC', locale: 'en' };

type State =
  | { phase: 'starting' }
  | { phase: 'out' }
  | { phase: 'broken'; error: Error }
  | { phase: 'choosing'; houses: House[] }
  | { phase: 'in'; api: Api; me: Me; houses: House[] };

let state: State = $state.raw({ phase: 'starting' });

export function session(): State {
  return state;
}

/** Finds the signed-in user. With several organisations and none chosen, the user chooses. */
export async function begin(): Promise<void> {
  try {
    const token = sessionStorage.getItem(PLATFORM);
    if (token && (await enterPlatform(token))) return;
    const houses = (await new Api().get<House[]>('/api/auth/sessions')).filter((house) => house.role !== 'customer');
    const chosen = houses.find((house) => house.id === localStorage.getItem(CHOSEN)) ?? (houses.length === 1 ? houses[0] : null);
    if (chosen) await enter(chosen.id, houses);
    else state = houses.length ? { phase: 'choosing', houses } : { phase: 'out' };
  } catch (error) {
    state = { phase: 'broken', error: error as Error };
  }
}

/** Whether a link from a mail was followed meanwhile, in another tab of this browser. */
export async function lookAgain(): Promise<void> {
  const houses = await new Api().get<House[]>('/api/auth/sessions').catch(() => []);
  if (houses.some((house) => house.role !== 'customer')) await begin();
}

export async function choose(organizationId: string): Promise<void> {
  localStorage.setItem(CHOSEN, organizationId);
  state = { phase: 'starting' };
  await begin();
}

/** Goes to the list of organisations, or to the form to sign in to another. */
export function leaveFor(where: 'houses' | 'another'): void {
  if (state.phase === 'in' && where === 'houses') state = { phase: 'choosing', houses: state.houses };
  else state = { phase: 'out' };
}

export async function signIn(organization: string, email: string, password: string): Promise<void> {
  const made = await new Api().post<{ organization: { id: string }; user: { role: string } }>('/api/auth/login', { organization, email, password });
  if (made.user.role === 'customer') throw new Problem(403, 'forbidden', t.buysOnly);
  await choose(made.organization.id);
}

export async function askForLink(organization: string, email: string): Promise<void> {
  await new Api().post('/api/auth/magic-link', { organization, email });
}

/** The platform's token is in no cookie: this tab keeps it, and forgets it when it is closed. */
export async function signInToPlatform(email: string, password: string): Promise<void> {
  const { token } = await new Api().post<{ token: string }>('/api/platform/login', { email, password });
  sessionStorage.setItem(PLATFORM, token);
  await begin();
}

export async function signOut(): Promise<void> {
  if (state.phase !== 'in') return;
  const { api, me } = state;
  await api.post(me.platform ? '/api/platform/logout' : '/api/auth/logout').catch((error: unknown) => {
    if (!(error instanceof Problem && error.status === 401)) throw error;
  });
  sessionStorage.removeItem(PLATFORM);
  localStorage.removeItem(CHOSEN);
  await begin();
}

/** An answer of 401 in the middle of something: the session is over. What is typed stays on the page until then. */
export async function isOver(): Promise<void> {
  sessionStorage.removeItem(PLATFORM);
  await begin();
}

async function enter(organizationId: string, houses: House[]): Promise<void> {
  const api = new Api(organizationId);
  const found = await api.get('/api/me');
  const home = found.actions.includes('org.read') ? await api.get<typeof HOME>('/api/org') : HOME;
  const { currency, timezone, locale } = home;
  state = { phase: 'in', api, me: known(found, null, { currency, timezone, locale }), houses };
}

async function enterPlatform(token: string): Promise<boolean> {
  const api = new Api(null, () => token);
  try {
    const found = await api.get('/api/platform/me');
    state = { phase: 'in', api, me: known({ ...found, organization: null }, found.role, HOME), houses: [] };
    return true;
  } catch (error) {
    if (!(error instanceof Problem && error.status === 401)) throw error;
    sessionStorage.removeItem(PLATFORM);
    return false;
  }
}

function known(found: Omit<contract.Me, 'type' | 'organization'> & { organization: contract.Organization | null }, platform: string | null, home: typeof HOME): Me {
  return {
    id: found.id,
    name: found.name ?? found.email ?? t.somebody,
    email: found.email,
    role: found.role,
    organization: found.organization && { ...found.organization, ...home },
    rights: new Set(found.actions),
    platform,
  };
}
