// What a device keeps (IndexedDB): who it is, what it chose, its snapshots as they came, sealed, and its scans.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Bytes } from './bytes';
import type { Entry } from './log';
import type { Direction } from './policy';

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

interface Rooms extends DBSchema {
  kept: { key: string; value: Device | Choices | Tally | number };
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

export async function kept<T extends Device | Choices | Tally | number>(shelf: Shelf, name: string): Promise<T | null> {
  return ((await shelf.get('kept', name)) as T | undefined) ?? null;
}

/** Everything goes: a device that was revoked, or given back, knows nobody's tickets. */
export async function forget(shelf: Shelf): Promise<void> {
  const every = ['kept', 'sheets', 'scans'] as const;
  const tx = shelf.transaction(every, 'readwrite');
  await Promise.all([...every.map((name) => tx.objectStore(name).clear()), tx.done]);
}
