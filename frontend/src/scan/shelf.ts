// The device's storage (IndexedDB): its pairing, its settings, its snapshots, still encrypted, and its scans.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Bytes } from './bytes';
import type { Entry } from './log';
import type { Direction } from './policy';
import type { Stranded } from './stranded';

export interface Device {
  id: string;
  name: string;
  eventId: string;
  organization: string;
  token: string;
  key: CryptoKey; // not extractable: what opens the snapshots stays in this browser
  verifyKey: Bytes;
  rights: string[];
  gates: { id: string; name: string }[];
  locale?: string; // the organisation's
}

export interface Choices {
  gateId: string | null;
  direction: Direction;
  test: boolean;
  sound: boolean;
  camera: boolean;
}

/** Today's, of this device. */
export interface Tally {
  day: string;
  in: number;
  out: number;
}

export interface KeptSheet {
  version: number;
  since: number | null;
  tickets: number;
  sealed: Bytes;
}

type Kept = Device | Choices | Tally | Stranded[] | number;

interface Rooms extends DBSchema {
  kept: { key: string; value: Kept };
  sheets: { key: number; value: KeptSheet };
  scans: { key: number; value: Entry; indexes: { state: string } };
}
export type Shelf = IDBPDatabase<Rooms>;

export function openShelf(name = 'fullhouse-gate'): Promise<Shelf> {
  return openDB<Rooms>(name, 1, {
    upgrade(db) {
      db.createObjectStore('kept');
      db.createObjectStore('sheets', { keyPath: 'version' });
      db.createObjectStore('scans', { keyPath: 'counter' }).createIndex('state', 'state');
    },
  });
}

export async function kept<T extends Kept>(shelf: Shelf, name: string): Promise<T | null> {
  return ((await shelf.get('kept', name)) as T | undefined) ?? null;
}

/** Replaces everything in one transaction: a device that was revoked or unpaired keeps no tickets. */
export async function forget(shelf: Shelf, instead: { kept?: Record<string, Kept>; scans?: Entry[] } = {}): Promise<void> {
  const every = ['kept', 'sheets', 'scans'] as const;
  const tx = shelf.transaction(every, 'readwrite', { durability: 'strict' });
  const clears = every.map((name) => tx.objectStore(name).clear());
  const keeps = Object.entries(instead.kept ?? {}).map(([name, value]) => tx.objectStore('kept').put(value, name));
  const scans = (instead.scans ?? []).map((entry) => tx.objectStore('scans').put(entry));
  await Promise.all([...clears, ...keeps, ...scans, tx.done]);
}
