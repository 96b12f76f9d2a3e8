// An event's tickets for offline use: snapshots, decrypted and merged (docs/scanning.md).
import { type Bytes, idBytes } from './bytes';
import { Finder } from './finder';
import type { Entitlement, EventStatus, MembershipStatus, TicketStatus } from './policy';
import { codeNumber, isSigned } from './qr';

export interface Keys {
  deviceId: string;
  key: CryptoKey;
  verifyKey: Bytes;
}

export interface Gate {
  id: string;
  code: string;
  name: string;
  open: boolean;
  capacity: number | null;
  inside: number;
}

export interface Header {
  version: number;
  since: number | null;
  base: number;
  first_day: string;
  tickets: number;
  device: { id: string; gates: string[]; rights: string[] };
  event: { id: string; name: string; status: EventStatus; timezone: string; new_window: [number, number] | null };
  days: { day: string; from: number; until: number }[];
  keys: { id: number; public: string; revoked: boolean }[];
  gates: Gate[];
  types: { id: string; name: string; entitlement: Entitlement; max_daily_entries: number | null; valid_days: string[] }[];
  zones: { id: string; name: string; capacity: number | null; inside: number }[];
  members: { id: string; status: MembershipStatus; from: number; until: number | null }[];
  companions: Record<string, string>;
  former?: Record<string, string>; // codes of former holders, and what the ticket's is now
  sections: string[];
  rows: string[];
  seats: string[];
}

type Column = Uint32Array | Uint16Array | Uint8Array;
// As the server packs them: little-endian, as every browser's typed arrays are.
const COLUMNS = [
  ['at', Uint32Array], ['type', Uint16Array], ['zone', Uint16Array], ['member', Uint16Array], ['section', Uint16Array], // prettier-ignore
  ['row', Uint16Array], ['seat', Uint16Array], ['day', Uint16Array], ['entries', Uint16Array], ['gate', Uint16Array], // prettier-ignore
  ['entries_today', Uint8Array], ['status', Uint8Array], ['category', Uint8Array], ['inside', Uint8Array], // prettier-ignore
] as const;
type Name = (typeof COLUMNS)[number][0];
type Columns = Record<Name, Column>;

/** A row, or what was brought: the halves of its tag and its code. */
interface Names {
  tagHigh: Uint32Array;
  tagLow: Uint32Array;
  codeHigh: Uint32Array;
  codeLow: Uint32Array;
}

const NONE = 0xffff;
const DAY_MS = 86_400_000;
const HIGH = 2 ** 32;
export const STATUSES: TicketStatus[] = ['valid', 'used', 'cancelled', 'refunded'];
export const CATEGORIES = ['', 'wheelchair', 'companion'] as const;
// Places in lists that the next snapshot may have in another order: by id where there is one, by the text itself elsewhere.
const POINTS: [Name, (header: Header) => string[]][] = [
  ['type', (header) => header.types.map((each) => each.id)],
  ['zone', (header) => header.zones.map((each) => each.id)],
  ['member', (header) => header.members.map((each) => each.id)],
  ['gate', (header) => header.gates.map((each) => each.id)],
  ['section', (header) => header.sections],
  ['row', (header) => header.rows],
  ['seat', (header) => header.seats],
];

export class Sheet {
  private readonly byTag: Finder;
  private readonly byCode: Finder;

  /** Times in `columns.at` are seconds since 1970 here, and days are days since then. */
  constructor(
    readonly header: Header,
    readonly columns: Columns,
    private readonly names: Names,
  ) {
    this.byTag = new Finder(names.tagHigh, names.tagLow);
    this.byCode = new Finder(names.codeHigh, names.codeLow);
  }

  get size(): number {
    return this.names.tagLow.length;
  }

  /** The row of a ticket, or -1. */
  findCode(code: string): number {
    const number = codeNumber(code);
    return number === null ? -1 : this.byCode.find(Math.floor(number / HIGH), number % HIGH);
  }

  findTag(tag: Uint8Array): number {
    const view = new DataView(tag.buffer, tag.byteOffset, 8);
    return this.byTag.find(view.getUint32(0), view.getUint32(4));
  }

  codeAt(row: number): number {
    return this.names.codeHigh[row]! * HIGH + this.names.codeLow[row]!;
  }

  /** Rows that we have under a former code, by what that is now: the ticket is the same one, and must not stand here twice. */
  private renamed(former: Record<string, string>): Map<number, number> {
    const rows = Object.entries(former).map(([code, now]) => [codeNumber(now) ?? -1, this.findCode(code)] as const);
    return new Map(rows.filter(([, row]) => row >= 0));
  }

  at(name: Name, row: number): number {
    return this.columns[name][row]!;
  }

  /** What the row points to in one of the header's lists. */
  of<T>(list: T[], name: Name, row: number): T | null {
    return list[this.at(name, row)] ?? null;
  }

  /** With what changed since: a later snapshot's header, its rows over ours, and those that are new. */
  with(later: Sheet): Sheet {
    const renamed = this.renamed(later.header.former ?? {});
    const rows = Array.from({ length: later.size }, (_, row) => {
      const same = this.byCode.find(later.names.codeHigh[row]!, later.names.codeLow[row]!);
      return same < 0 ? (renamed.get(later.codeAt(row)) ?? -1) : same;
    });
    let size = this.size;
    const target = rows.map((row) => (row < 0 ? size++ : row));
    const lists = { sections: union(this.header.sections, later.header.sections), rows: union(this.header.rows, later.header.rows), seats: union(this.header.seats, later.header.seats) };
    const header = { ...later.header, ...lists };
    const columns = {} as Columns;
    for (const [name, Kind] of COLUMNS) {
      const points = POINTS.find(([point]) => point === name)?.[1];
      const place = points ? { old: places(points(this.header), points(header)), new: places(points(later.header), points(header)) } : null;
      const column = new Kind(size);
      column.set(this.columns[name] as never);
      if (place?.old) for (let row = 0; row < this.size; row++) column[row] = place.old[column[row]!] ?? NONE;
      const fresh = later.columns[name];
      for (let row = 0; row < later.size; row++) column[target[row]!] = place?.new ? (place.new[fresh[row]!] ?? NONE) : fresh[row]!;
      columns[name] = column;
    }
    const names = {} as Names;
    for (const name of ['tagHigh', 'tagLow', 'codeHigh', 'codeLow'] as const) {
      const column = new Uint32Array(size);
      column.set(this.names[name]);
      for (let row = 0; row < later.size; row++) column[target[row]!] = later.names[name][row]!;
      names[name] = column;
    }
    return new Sheet(header, columns, names);
  }
}

function union(old: string[], more: string[]): string[] {
  return [...new Set([...old, ...more])];
}

/** Where each of these stands in the other list; null if nothing moved. */
function places(from: string[], to: string[]): (number | undefined)[] | null {
  if (from.every((each, n) => to[n] === each)) return null;
  const there = new Map(to.map((each, n) => [each, n]));
  return from.map((each) => there.get(each));
}

/** Checks the signature, then decrypts. Null if it is not for this device, or not from its server. */
export async function open(sealed: Bytes, keys: Keys): Promise<Sheet | null> {
  const [signature, rest] = [sealed.slice(4, 68), sealed.subarray(68)];
  if (new TextDecoder().decode(sealed.subarray(0, 4)) !== 'FHE1' || !(await isSigned(signature, rest, keys.verifyKey))) return null;
  try {
    const way = { name: 'AES-GCM', iv: rest.subarray(0, 12), additionalData: idBytes(keys.deviceId) };
    const deflated = await crypto.subtle.decrypt(way, keys.key, rest.subarray(12));
    const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream('deflate'));
    return unpack(await new Response(stream).arrayBuffer());
  } catch {
    return null;
  }
}

export function unpack(packed: ArrayBuffer): Sheet {
  const view = new DataView(packed);
  const length = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(packed, 8, length))) as Header;
  const n = header.tickets;
  let at = 8 + length;
  const columns = {} as Columns;
  for (const [name, Kind] of COLUMNS) {
    columns[name] = new Kind(packed, at, n);
    at += Kind.BYTES_PER_ELEMENT * n;
  }
  const [base, first] = [Math.round(header.base / 1000), Date.parse(header.first_day) / DAY_MS];
  columns.at = columns.at.map((seconds) => (seconds ? base + seconds : 0));
  columns.day = columns.day.map((day) => (day === NONE ? NONE : first + day));
  const names: Names = { tagHigh: new Uint32Array(n), tagLow: new Uint32Array(n), codeHigh: new Uint32Array(n), codeLow: new Uint32Array(n) };
  for (let row = 0; row < n; row++) {
    names.tagHigh[row] = view.getUint32(at + row * 8);
    names.tagLow[row] = view.getUint32(at + row * 8 + 4);
  }
  at += n * 8;
  for (let row = 0; row < n; row++) {
    names.codeHigh[row] = view.getUint8(at + row * 5);
    names.codeLow[row] = view.getUint32(at + row * 5 + 1);
  }
  return new Sheet(header, columns, names);
}

export function dayText(day: number): string | null {
  return day === NONE ? null : new Date(day * DAY_MS).toISOString().slice(0, 10);
}
