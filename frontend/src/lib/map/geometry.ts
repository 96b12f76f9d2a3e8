// The map's geometry (docs/seatmap-format.md): read once, laid out as typed arrays, one entry for each seat's ordinal.

export const STANDARD = 0, WHEELCHAIR = 1, COMPANION = 2, RESTRICTED_VIEW = 3, AISLE = 4;
export const AVAILABLE = 0, HELD = 1, SOLD = 2, BLOCKED = 3;
export const NO_PRICE = 255;

export interface Zone {
  key: string;
  name: string;
  zone_type: string;
  access_mode: string;
  membership_tier: string | null;
  capacity: number;
  price: number;
  area: [number, number][];
  isOpen: boolean; // drawn and sold by count: it has an area, and no seats
}

type Piece = string | [number, number] | [number, number, number];

interface Header {
  name: string;
  seats: number;
  width: number;
  height: number;
  unit: number;
  focal_point: [number, number];
  prices: [key: string, name: string, color: string | null][];
  zones: Omit<Zone, 'isOpen'>[];
  sections: { zone: number[]; key: string[]; name: string[]; rows: number[] };
  rows: { label: string[]; seats: number[]; table: number[]; numbers: Piece[][]; keys: (string | string[])[] };
  companions: [number, number][];
  groups: [string, string, string, number[]][];
}

export interface Section {
  zone: number;
  name: string;
  first: number; // ordinal of its first seat
  end: number;
  rows: number[];
  shape: number[]; // seats enough to tell where it lies
  box: Box;
}

export interface Row {
  section: number;
  label: string;
  first: number;
  end: number;
  isTable: boolean;
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Geometry {
  name: string;
  count: number;
  width: number;
  height: number;
  focal: [number, number];
  prices: Header['prices'];
  zones: Zone[];
  sections: Section[];
  rows: Row[];
  x: Float32Array;
  y: Float32Array;
  category: Uint8Array;
  price: Uint8Array;
  rowOf: Uint32Array;
  companions: Map<number, number[]>; // wheelchair space to its companion seats
  wholes: Map<number, number[]>; // a seat that is sold with others only, to all of them
  pitch: number; // the usual distance of two neighbours
  numberOf(ordinal: number): string;
  keyOf(ordinal: number): string; // the same in every version of a layout
}

export function read(bytes: ArrayBuffer): Geometry {
  const view = new DataView(bytes);
  if (view.getUint32(0, false) !== 0x46484731) throw new Error('this is no seat map');
  const length = view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length))) as Header;
  const n = header.seats;
  const at = 8 + length;
  const x = positions(new Int16Array(bytes, at, n), header);
  const y = positions(new Int16Array(bytes, at + 2 * n, n), header);
  const price = new Uint8Array(bytes, at + 5 * n, n);
  const { sections, rows, rowOf } = structure(header, x, y);
  return {
    name: header.name,
    count: n,
    width: header.width,
    height: header.height,
    focal: header.focal_point,
    prices: header.prices,
    zones: header.zones.map((zone, n) => ({ ...zone, isOpen: zone.area.length > 2 && !header.sections.zone.includes(n) })),
    sections,
    rows,
    x,
    y,
    category: categories(new Uint8Array(bytes, at + 4 * n, n)),
    price,
    rowOf,
    companions: gather(header.companions.map(([companion, place]) => [place, companion])),
    wholes: new Map(
      header.groups.filter(([, , soldAs]) => soldAs === 'whole').flatMap(([, , , seats]) => seats.map((seat) => [seat, seats] as const)),
    ),
    pitch: usualPitch(rows, x, y),
    numberOf: (ordinal) => {
      const row = rowOf[ordinal]!;
      return numberIn(header.rows.numbers[row]!, ordinal - rows[row]!.first);
    },
    keyOf: (ordinal) => {
      const row = rowOf[ordinal]!;
      const place = ordinal - rows[row]!.first;
      const keys = header.rows.keys[row]!;
      return typeof keys === 'string' ? keys + numberIn(header.rows.numbers[row]!, place) : keys[place]!;
    },
  };
}

function positions(coded: Int16Array, header: Header): Float32Array {
  const found = new Float32Array(coded.length);
  let i = 0;
  let rowStart = 0;
  for (const length of header.rows.seats) {
    let at = (rowStart = (rowStart + coded[i]!) & 0xffff);
    let step = 0;
    found[i++] = at * header.unit;
    for (let k = 1; k < length; k++) {
      step += coded[i]!;
      at = (at + step) & 0xffff;
      found[i++] = at * header.unit;
    }
  }
  return found;
}

/** The lowest three bits; the one above says that a gap follows, which is to be seen anyway. */
function categories(kinds: Uint8Array): Uint8Array {
  const found = new Uint8Array(kinds.length);
  for (let i = 0; i < kinds.length; i++) found[i] = kinds[i]! & 7;
  return found;
}

// A long row hardly bends from one seat to the next: its ends and every fourth seat say where it lies.
const [SHORT, SPARSE] = [8, 4];

function structure(header: Header, x: Float32Array, y: Float32Array) {
  const sections: Section[] = [];
  const rows: Row[] = [];
  const rowOf = new Uint32Array(header.seats);
  let ordinal = 0;
  header.sections.rows.forEach((rowCount, s) => {
    const first = ordinal;
    const mine: number[] = [];
    const shape: number[] = [];
    for (let r = 0; r < rowCount; r++) {
      const index = rows.length;
      const end = ordinal + header.rows.seats[index]!;
      rowOf.fill(index, ordinal, end);
      rows.push({ section: s, label: header.rows.label[index]!, first: ordinal, end, isTable: header.rows.table[index] === 1 });
      mine.push(index);
      for (let i = ordinal; i < end - 1; i += end - ordinal > SHORT ? SPARSE : 1) shape.push(i);
      if (end > ordinal) shape.push(end - 1);
      ordinal = end;
    }
    sections.push({
      zone: header.sections.zone[s]!,
      name: header.sections.name[s]!,
      first,
      end: ordinal,
      rows: mine,
      shape,
      box: boxOf(x, y, shape),
    });
  });
  return { sections, rows, rowOf };
}

export function boxOf(x: Float32Array, y: Float32Array, seats: readonly number[]): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const seat of seats) {
    const px = x[seat]!;
    const py = y[seat]!;
    if (px < left) left = px;
    if (px > right) right = px;
    if (py < top) top = py;
    if (py > bottom) bottom = py;
  }
  return { left, top, right, bottom };
}

export function boxAround(points: readonly (readonly [number, number])[]): Box {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

/** The median distance of neighbours, from rows all over the plan: what a seat's size is drawn from. */
function usualPitch(rows: Row[], x: Float32Array, y: Float32Array): number {
  const found: number[] = [];
  const every = Math.max(1, Math.floor(rows.length / 200));
  for (let r = 0; r < rows.length; r += every) {
    const { first, end } = rows[r]!;
    if (end - first > 1) found.push(Math.hypot(x[first + 1]! - x[first]!, y[first + 1]! - y[first]!));
  }
  found.sort((a, b) => a - b);
  return found[found.length >> 1] || 1;
}

function numberIn(pieces: Piece[], place: number): string {
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      if (place-- === 0) return piece;
      continue;
    }
    const [first, step, count = Infinity] = piece;
    if (place < count) return String(first + step * place);
    place -= count;
  }
  return '';
}

function gather(pairs: [number, number][]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const [key, value] of pairs) found.set(key, [...(found.get(key) ?? []), value]);
  return found;
}

/** Two bits a seat, as bytes of their own. */
export function unpackStates(packed: Uint8Array, count: number): Uint8Array {
  const found = new Uint8Array(4 * Math.ceil(count / 4));
  for (let from = 0, to = 0; to < count; from++, to += 4) {
    const four = packed[from]!;
    found[to] = four & 3;
    found[to + 1] = (four >> 2) & 3;
    found[to + 2] = (four >> 4) & 3;
    found[to + 3] = four >> 6;
  }
  return found.subarray(0, count);
}
