// A gate's snapshot by itself, for bench/ui.py: the scanner's own code, and a stopwatch around it.

import { fromBase64 } from '../src/scan/bytes';
import { type Keys, open } from '../src/scan/sheet';

let keys: Keys;
let sealed = new Uint8Array();

async function load(device: string, key: string, verifyKey: string): Promise<void> {
  keys = { deviceId: device, key: await crypto.subtle.importKey('raw', fromBase64(key), 'AES-GCM', false, ['decrypt']), verifyKey: fromBase64(verifyKey) };
  sealed = new Uint8Array(await (await fetch('/snapshot')).arrayBuffer());
}

/** From the bytes as they are kept to a ticket that is found: what a start without a connection takes. */
async function opened(code: string): Promise<number> {
  const begun = performance.now();
  const sheet = await open(sealed, keys);
  if (!sheet || sheet.findCode(code) < 0) throw new Error('it was not opened');
  return performance.now() - begun;
}

Object.assign(globalThis, { bench: { load, opened } });
