// The map by itself, for bench/ui.py: the very code of the pages, and a stopwatch around it.

import '../src/lib/tokens.css';
import { paletteOf } from '../src/lib/map/palette';
import { SeatMap } from '../src/lib/map/seatmap';
import { speak } from '../src/lib/words';
import { en } from '../src/lib/words/en';

speak(en); // as the page's own script does before the map's

const frame = document.createElement('div');
const canvas = document.createElement('canvas');
const SIZE = { width: 1180, height: 760 };
let bytes = new ArrayBuffer(0);
let states = new Uint8Array();
let map: SeatMap;

const nextFrame = () => new Promise<number>((go) => requestAnimationFrame(go));

async function fetched(path: string): Promise<ArrayBuffer> {
  return (await fetch(path)).arrayBuffer();
}

async function load(): Promise<void> {
  canvas.style.cssText = `width:${SIZE.width}px;height:${SIZE.height}px`;
  frame.className = 'fh';
  frame.append(canvas);
  document.body.append(frame);
  bytes = await fetched('/geometry');
  states = new Uint8Array(await fetched('/states'));
}

/** From the bytes to the pixels: what lies between the answer of the server and something to look at. */
function firstPaint(): number {
  const begun = performance.now();
  map = new SeatMap(bytes, canvas, paletteOf(frame, []));
  map.recolour(paletteOf(frame, map.geometry.prices.map(([, , color]) => color)));
  map.resize(SIZE);
  map.setStates(states, '1');
  (map as unknown as { draw(): void }).draw();
  canvas.getContext('2d')!.getImageData(0, 0, 1, 1); // until it is drawn indeed
  return performance.now() - begun;
}

/** A finger that drags the map about for two seconds: how long each frame took. */
async function pan(zoom: number): Promise<number[]> {
  map.camera.view = map.camera.fit();
  map.zoom(zoom);
  await nextFrame();
  const frames: number[] = [];
  let last = await nextFrame();
  for (let n = 0; n < 120; n++) {
    map.pan(Math.cos(n / 9) * 14, Math.sin(n / 7) * 9);
    const now = await nextFrame();
    frames.push(now - last);
    last = now;
  }
  return frames;
}

/** So many messages about one seat each, as a busy sale sends them. */
function deltas(count: number): number {
  const begun = performance.now();
  for (let n = 0; n < count; n++) map.apply({ version: String(n), ordinals: [(n * 7919) % map.geometry.count], states: [n % 3] });
  return performance.now() - begun;
}

function resync(): number {
  const begun = performance.now();
  map.setStates(states, 'again');
  return performance.now() - begun;
}

Object.assign(window, { bench: { load, firstPaint, pan, deltas, resync, count: () => map.geometry.count } });
