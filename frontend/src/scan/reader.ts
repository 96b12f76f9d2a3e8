// Reads QR codes in pictures, in WebAssembly that our own server gives out.
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import wasm from 'zxing-wasm/reader/zxing_reader.wasm?url';

prepareZXingModule({ overrides: { locateFile: () => wasm } });

export async function read(picture: ImageData): Promise<string | null> {
  const [found] = await readBarcodes(picture, { formats: ['QRCode'], maxNumberOfSymbols: 1 });
  return found?.text || null;
}
