import { describe, expect, test } from 'vitest';
import { Camera } from './camera';
import { boxOf, read, unpackStates } from './geometry';
import { Grid } from './grid';
import { contains, outline } from './hull';
import { layOut, touches, type Wish } from './labels';
import { exposed } from './parts';
import type { Palette, Scene } from './painter';
import { labelOf, paintSeats } from './seats';
import { CHAIR } from './signs';
import type { Stamps } from './stamps';

/** Two rows of one section, 3 and 2 seats, as the server would write them. */
function plan(keys: (string | string[])[] = ['A-', 'B-']): ArrayBuffer {
  const header = {
    name: 'Hall', seats: 5, width: 10, height: 10, unit: 0.5, focal_point: [5, 0], prices: [['A', 'Best', null]],
    zones: [{ key: 'z', name: 'Zone', zone_type: 'reserved_seating', access_mode: 'public', membership_tier: null, capacity: 5, price: 0, area: [[0, 0], [4, 0], [4, 4]] }, { key: 'f', name: 'Floor', area: [[5, 5], [9, 5], [9, 9]] }, { key: 'o', name: 'Online', area: [] }],
    sections: { zone: [0], key: ['s'], name: ['Stalls'], rows: [2] },
    rows: { label: ['A', 'B'], seats: [3, 2], table: [0, 0], numbers: [[[7, -2, 2], 'X'], [[1, 1]]], keys },
    companions: [[1, 0]], groups: [['t', 'vip_table', 'whole', [3, 4]]],
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil(text.length / 4) * 4;
  const bytes = new ArrayBuffer(8 + length + 5 * 6);
  const view = new DataView(bytes);
  new Uint8Array(bytes).set([0x46, 0x48, 0x47, 0x31]);
  view.setUint32(4, length, true);
  new Uint8Array(bytes, 8, length).fill(32).set(text);
  const at = 8 + length;
  [2, 2, 0, 1, 2].forEach((v, i) => view.setInt16(at + 2 * i, v, true)); // x: 2 4 6 | 3 5
  [4, 0, 0, 2, 0].forEach((v, i) => view.setInt16(at + 10 + 2 * i, v, true)); // y: 4 4 4 | 6 6
  new Uint8Array(bytes, at + 20, 5).set([1, 2 + 8, 0, 0, 0]);
  new Uint8Array(bytes, at + 25, 5).set([0, 0, 255, 0, 0]);
  return bytes;
}

describe('geometry', () => {
  const g = read(plan());
  test('positions are decoded in plan units', () => {
    expect([...g.x]).toEqual([1, 2, 3, 1.5, 2.5]);
    expect([...g.y]).toEqual([2, 2, 2, 3, 3]);
  });
  test('numbers follow their pieces', () => {
    expect([0, 1, 2, 3, 4].map((i) => g.numberOf(i))).toEqual(['7', '5', 'X', '1', '2']);
  });
  test('keys are a prefix and the number, or written out', () => {
    expect([0, 2, 4].map((i) => g.keyOf(i))).toEqual(['A-7', 'A-X', 'B-2']);
    const listed = read(plan(['A-', ['left', 'right']]));
    expect([1, 3, 4].map((i) => listed.keyOf(i))).toEqual(['A-5', 'left', 'right']);
  });
  test('categories, companions and tables are known', () => {
    expect([...g.category]).toEqual([1, 2, 0, 0, 0]);
    expect(g.companions.get(0)).toEqual([1]);
    expect(g.wholes.get(4)).toEqual([3, 4]);
    expect(g.rows.map((row) => row.label)).toEqual(['A', 'B']);
  });
  test('a zone with an area is sold by count only if it has no seats', () => {
    expect(g.zones.map(({ isOpen }) => isOpen)).toEqual([false, true, false]);
  });
  test('what is no map is refused', () => expect(() => read(new ArrayBuffer(16))).toThrow());
  test('states are two bits each', () => expect([...unpackStates(new Uint8Array([0b11100100, 1]), 5)]).toEqual([0, 1, 2, 3, 1]));
});

test('a section is drawn around all of its seats, and hardly wider', () => {
  const n = 900; // a curved block, as of an arena
  const x = Float32Array.from({ length: n }, (_, i) => 500 + (200 + 20 * Math.floor(i / 30)) * Math.cos((i % 30) / 25));
  const y = Float32Array.from({ length: n }, (_, i) => 500 + (200 + 20 * Math.floor(i / 30)) * Math.sin((i % 30) / 25));
  const shape = [...x.keys()];
  const found = outline(x, y, { shape, box: boxOf(x, y, shape) }, 15);
  expect([...x].every((px, i) => contains(found, px, y[i]!))).toBe(true);
  expect(Math.max(...found.map(([px]) => px))).toBeCloseTo(Math.max(...x) + 15, 0);
  expect(found.length).toBeLessThan(200);
});

test('the grid finds what a look at every seat would find', () => {
  const n = 2000;
  const x = Float32Array.from({ length: n }, (_, i) => (i * 7919) % 1000);
  const y = Float32Array.from({ length: n }, (_, i) => (i * 104729) % 800);
  const grid = new Grid(x, y, 1000, 800, 37);
  for (let k = 0; k < 200; k++) {
    const [px, py] = [(k * 331) % 1000, (k * 577) % 800];
    let best = -1;
    let distance = 50 * 50;
    for (let i = 0; i < n; i++) {
      const d = (x[i]! - px) ** 2 + (y[i]! - py) ** 2;
      if (d < distance) [best, distance] = [i, d];
    }
    const found = grid.nearest(px, py, 50);
    expect(found < 0 ? Infinity : (x[found]! - px) ** 2 + (y[found]! - py) ** 2).toBe(best < 0 ? Infinity : distance);
  }
  const seen = new Set<number>();
  grid.within({ left: 100, top: 100, right: 200, bottom: 180 }, (i) => seen.add(i));
  for (let i = 0; i < n; i++) if (x[i]! >= 100 && x[i]! <= 200 && y[i]! >= 100 && y[i]! <= 180) expect(seen.has(i)).toBe(true);
});

describe('camera', () => {
  const camera = new Camera({ left: 0, top: 0, right: 100, bottom: 50 }, 20);
  camera.resize({ width: 400, height: 300 });
  test('fits the plan', () => {
    camera.view = camera.fit();
    const { left, right } = camera.seen();
    expect(left).toBeLessThan(0);
    expect(right).toBeGreaterThan(100);
  });
  test('zooms around the finger', () => {
    const before = camera.toPlan(150, 120);
    camera.zoom(2, 150, 120);
    const after = camera.toPlan(150, 120);
    expect(after.x).toBeCloseTo(before.x);
    expect(after.y).toBeCloseTo(before.y);
  });
  test('never loses the plan', () => {
    camera.pan(1e6, -1e6);
    const seen = camera.seen();
    expect(seen.left).toBeLessThan(100);
    expect(seen.bottom).toBeGreaterThan(0);
  });
});

test('a single seat and a single row have a way around them', () => {
  const [x, y] = [Float32Array.of(10, 20, 30), Float32Array.of(5, 4, 5)];
  const around = (...shape: number[]) => outline(x, y, { shape, box: boxOf(x, y, shape) }, 2);
  expect(around(0)).toEqual([[8, 3], [12, 3], [12, 7], [8, 7]]);
  const row = around(0, 1, 2);
  expect([0, 1, 2].every((i) => contains(row, x[i]!, y[i]!))).toBe(true);
  expect(contains(row, 20, 1.9)).toBe(false);
  expect(contains(row, 33, 5)).toBe(false);
});

describe('names', () => {
  const widthOf = (text: string) => text.length * 7;
  const wish = (y: number, height: number, ...lines: string[]): Wish => ({ lines, x: 0, y, color: '', room: { width: 90, height } });
  const stage = { left: -60, right: 60, top: -11, bottom: 11 };
  test('stand in the middle where nothing is in their way', () => {
    const [floor] = layOut([wish(40, 80, 'Floor', '20 places')], [stage], widthOf);
    expect([floor!.y, floor!.lines.length]).toEqual([40, 2]);
  });
  test('make room within their place, or say less', () => {
    const [moved] = layOut([wish(20, 80, 'Floor', '20 places')], [stage], widthOf);
    expect(moved!.lines).toHaveLength(2);
    expect(touches(moved!.box, stage)).toBe(false);
    const [short] = layOut([wish(16, 36, 'Floor', '20 places')], [stage], widthOf);
    expect(short!.lines).toEqual(['Floor']);
    expect(touches(short!.box, stage)).toBe(false);
  });
  test('are left out where another stands', () => {
    expect(layOut([wish(0, 16, 'Floor')], [stage], widthOf)).toEqual([]);
    expect(layOut([wish(90, 16, '101'), wish(95, 16, '102')], [stage], widthOf)).toHaveLength(1);
  });
});

test('a seat shows the letter of its price, if prices have some, and its number where there is room', () => {
  const g = read(plan());
  const number = g.numberOf(3);
  expect([5, 9, 20, 30].map((size) => labelOf(g, 3, size, ['E']))).toEqual(['', 'E', 'E', `E\n${number}`]);
  expect([9, 20].map((size) => labelOf(g, 3, size, []))).toEqual(['', number]);
  expect(labelOf(g, 0, 9, ['E'])).toBe(CHAIR);
});

test('after a move, just what came into sight is drawn', () => {
  for (const [dx, dy] of [[3, 2], [-3, 2], [3, -2], [-3, -2], [0, 4], [5, 0], [0, 0], [40, 0]] as const) {
    const drawn = new Uint8Array(20 * 10);
    for (const { left, top, right, bottom } of exposed(20, 10, dx, dy)) {
      for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) drawn[y * 20 + x]!++;
    }
    drawn.forEach((times, n) => {
      const [x, y] = [(n % 20) - dx, Math.floor(n / 20) - dy];
      expect(times).toBe(x >= 0 && x < 20 && y >= 0 && y < 10 ? 0 : 1);
    });
  }
});

test('my seat is ruled in what stands out from the ground, and ticked in what stands out from the seat', () => {
  const drawn: string[] = [];
  const lines = { strokeStyle: '', stroke: () => drawn.push(lines.strokeStyle) };
  const ctx = new Proxy(lines, { get: (own, name) => Reflect.get(own, name) ?? (() => undefined) }) as unknown as CanvasRenderingContext2D;
  const geometry = read(plan());
  const camera = new Camera({ left: 0, top: 0, right: 10, bottom: 10 }, 100, { width: 100, height: 100 });
  const stamps = { begin: () => {}, end: () => {}, put: () => true, id: () => 1 } as unknown as Stamps;
  const scene = { geometry, grid: () => ({ within: () => {} }), states: new Uint8Array(5), mine: new Set([0]), dimmed: () => false, focused: -1 } as unknown as Scene;
  const colors = { ink: 'light', mine: 'amber', mineInk: 'dark', tiers: ['blue'], letters: [] } as unknown as Palette;
  paintSeats({ ctx, ratio: 1, colors, stamps }, scene, camera, { left: 0, top: 0, right: 100, bottom: 100 });
  expect(drawn).toEqual(['light', 'dark']);
});
