// Scans that were not synced before a pairing ended. People were let in, so they are kept until staff decide, or until they
// are too old. The next pairing sends them under the device's former id, by which the server recognises those that it has
// already (docs/scanning.md).
import { sha256, toBase64 } from './bytes';
import { batch } from './line';
import type { Entry, Former } from './log';
import { type Device, type Shelf, forget, kept } from './shelf';

export interface Stranded {
  organization: string;
  eventId: string;
  show: string;
  entries: Entry[];
  over?: number; // when the event ended
}

const KEPT_MS = 30 * 86_400_000;

/** Until when they are kept: thirty days after the event, or after the last scan. */
export function endOf({ entries, over = 0 }: Stranded): number {
  return entries.reduce((last, { at }) => Math.max(last, at), over) + KEPT_MS;
}

export async function stranded(shelf: Shelf): Promise<Stranded[]> {
  return (await kept<Stranded[]>(shelf, 'stranded')) ?? [];
}

/** The pairing ends: only unsynced scans stay, with a proof of the pairing. */
export async function strand(shelf: Shelf, device: Device, show: string, over?: number): Promise<Stranded[]> {
  const waiting = await shelf.getAllFromIndex('scans', 'state', 'waits');
  const before = await stranded(shelf);
  const { organization, eventId } = device;
  const former = await itself(device);
  const entries = waiting.map((entry) => ({ ...entry, former: entry.former ?? former }));
  const all = entries.length ? [...before, { organization, eventId, show, entries, ...(over ? { over } : {}) }] : before;
  await forget(shelf, { kept: all.length ? await beside(shelf, all) : {} });
  return all;
}

/** A pairing begins: unsynced scans of its event are its own again; those of other events stay stored. */
export async function bringBack(shelf: Shelf, device: Device): Promise<Stranded[]> {
  const all = await stranded(shelf);
  const rest = all.filter((one) => one.eventId !== device.eventId);
  const scans = all.filter((one) => one.eventId === device.eventId).flatMap((one) => one.entries);
  const gates = new Set(device.gates.map((gate) => gate.id));
  // Without a former pairing, the server would refuse a gate that is not this device's: it then records the scan at the
  // device's first gate.
  const own = scans.map((entry) => (entry.former || gates.has(entry.gateId) ? entry : { ...entry, gateId: '' }));
  const more = all.length ? await beside(shelf, rest) : {};
  await forget(shelf, { kept: { ...more, device }, scans: own });
  return rest;
}

/** Deletes what is too old at this time, and returns it. */
export async function expire(shelf: Shelf, now: number): Promise<Stranded[]> {
  const all = await stranded(shelf);
  const over = all.filter((one) => endOf(one) <= now);
  const rest = all.filter((one) => endOf(one) > now);
  if (!over.length) return over;
  if (rest.length) await shelf.put('kept', rest, 'stranded');
  else if (await kept<Device>(shelf, 'device')) await shelf.delete('kept', 'stranded');
  else await forget(shelf);
  return over;
}

/** A proof of having had the token; it gives no access by itself. */
async function itself({ id, token }: Device): Promise<Former> {
  const hash = await sha256(new TextEncoder().encode(token));
  const proof = await sha256(new Uint8Array([...new TextEncoder().encode('former pairing:'), ...hash]));
  return { device: id, proof: toBase64(proof) };
}

/** As `/api/scan/batch` accepts it, for each event. */
export function asFile(all: Stranded[], now: number, version: string): Blob {
  const shows = all.map(({ organization, eventId, show, entries }) => ({ organization, event_id: eventId, show, ...batch(entries, now, null, version) }));
  return new Blob([JSON.stringify(shows, null, 2)], { type: 'application/json' });
}

/** The numbers go on where they were, and the times are by the clock as it was put right. */
async function beside(shelf: Shelf, all: Stranded[]): Promise<Record<string, Stranded[] | number>> {
  const counter = (await kept<number>(shelf, 'counter')) ?? 0;
  const clockOff = (await kept<number>(shelf, 'clockOff')) ?? 0;
  return { stranded: all, counter, clockOff };
}
