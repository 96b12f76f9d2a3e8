// What a device saw and could not tell before its pairing ended: people were let in, so it waits until somebody decides, or
// until nobody needs it any more. The next pairing tells it under the name that the device had: what the house has already
// it then recognises (docs/scanning.md).
import { sha256, toBase64 } from './bytes';
import { batch } from './line';
import type { Entry, Former } from './log';
import { type Device, type Shelf, forget, kept } from './shelf';

export interface Stranded {
  organization: string;
  eventId: string;
  show: string;
  entries: Entry[];
  over?: number; // when the show was
}

const KEPT_MS = 30 * 86_400_000;

/** Until when it is kept: thirty days after the show, or after its last scan. */
export function endOf({ entries, over = 0 }: Stranded): number {
  return entries.reduce((last, { at }) => Math.max(last, at), over) + KEPT_MS;
}

export async function stranded(shelf: Shelf): Promise<Stranded[]> {
  return (await kept<Stranded[]>(shelf, 'stranded')) ?? [];
}

/** The pairing ends: of all that the device knew, only what nobody else knows stays, and who the device was. */
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

/** A pairing begins: what waits for its show is its own again, and what waits for another goes on waiting. */
export async function bringBack(shelf: Shelf, device: Device): Promise<Stranded[]> {
  const all = await stranded(shelf);
  const rest = all.filter((one) => one.eventId !== device.eventId);
  const scans = all.filter((one) => one.eventId === device.eventId).flatMap((one) => one.entries);
  const gates = new Set(device.gates.map((gate) => gate.id));
  // Of one that does not say which pairing's it was, a gate that is not this one's would be refused: the house then writes the
  // scan down at the device's first.
  const own = scans.map((entry) => (entry.former || gates.has(entry.gateId) ? entry : { ...entry, gateId: '' }));
  const more = all.length ? await beside(shelf, rest) : {};
  await forget(shelf, { kept: { ...more, device }, scans: own });
  return rest;
}

/** Forgets what nobody needs any more at this time, and says what that was. */
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

/** Whoever knows this has had the token; with it alone nobody comes in. */
async function itself({ id, token }: Device): Promise<Former> {
  const hash = await sha256(new TextEncoder().encode(token));
  const proof = await sha256(new Uint8Array([...new TextEncoder().encode('former pairing:'), ...hash]));
  return { device: id, proof: toBase64(proof) };
}

/** As `/api/scan/batch` takes it, for each show. */
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
