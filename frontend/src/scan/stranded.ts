// What a device saw and could not tell before its pairing ended: people were let in, so it waits until somebody decides.
import { batch } from './line';
import type { Entry } from './log';
import { type Device, type Shelf, forget, kept } from './shelf';

export interface Stranded {
  organization: string;
  eventId: string;
  show: string;
  entries: Entry[];
}

export async function stranded(shelf: Shelf): Promise<Stranded[]> {
  return (await kept<Stranded[]>(shelf, 'stranded')) ?? [];
}

/** The pairing ends: of all that the device knew, only what nobody else knows stays. */
export async function strand(shelf: Shelf, device: Device, show: string): Promise<Stranded[]> {
  const entries = await shelf.getAllFromIndex('scans', 'state', 'waits');
  const before = await stranded(shelf);
  const { organization, eventId } = device;
  const all = entries.length ? [...before, { organization, eventId, show, entries }] : before;
  await forget(shelf, { kept: all.length ? await beside(shelf, all) : {} });
  return all;
}

/** A pairing begins: what waits for its show is its own again, and what waits for another goes on waiting. */
export async function bringBack(shelf: Shelf, device: Device): Promise<Stranded[]> {
  const all = await stranded(shelf);
  const rest = all.filter((one) => one.eventId !== device.eventId);
  const scans = all.filter((one) => one.eventId === device.eventId).flatMap((one) => one.entries);
  const gates = new Set(device.gates.map((gate) => gate.id));
  // A gate that is not this pairing's would be refused: the house then writes the scan down at the device's first.
  const own = scans.map((entry) => (gates.has(entry.gateId) ? entry : { ...entry, gateId: '' }));
  const more = all.length ? await beside(shelf, rest) : {};
  await forget(shelf, { kept: { ...more, device }, scans: own });
  return rest;
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
