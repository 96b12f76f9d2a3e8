// What a ticket's QR says (tickets/signing/signature.py): `FH:` and, to the base 45, version · key · event · ticket · nonce · signature.
// And what people type: the eight characters on the ticket.
import { type Bytes, idText } from './bytes';

export interface Claim {
  keyId: number;
  eventId: string;
  ticketId: Bytes;
  nonce: Bytes;
  message: Bytes;
  signature: Bytes;
}

/** What was brought to the gate: a QR as it was read, or a code as it was typed. */
export type Brought = { qr: string; code?: undefined } | { code: string; qr?: undefined };

const PREFIX = 'FH:';
const VERSION = 1;
const [MESSAGE, SIGNATURE] = [43, 64];
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';
const CODE_DIGITS = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const QR_MAX = 400; // the server takes no longer one; ours have some 163 characters

/** None if it is no base 45, in the one way that the bytes are written. */
export function unbase45(text: string): Bytes | null {
  if (text.length % 3 === 1) return null;
  const found: number[] = [];
  for (let n = 0; n < text.length; n += 3) {
    const group = Array.from(text.slice(n, n + 3), (digit) => DIGITS.indexOf(digit));
    if (group.includes(-1)) return null;
    const number = group.reduce((sum, value, place) => sum + value * 45 ** place, 0);
    const width = group.length - 1;
    if (number >= 256 ** width) return null;
    if (width === 2) found.push(number >> 8);
    found.push(number & 255);
  }
  return Uint8Array.from(found);
}

/** What it claims to be, or null if it is no ticket of ours. Believe it only after `isSigned`. */
export function readClaim(text: string): Claim | null {
  const raw = text.startsWith(PREFIX) ? unbase45(text.slice(PREFIX.length)) : null;
  if (!raw || raw.length !== MESSAGE + SIGNATURE || raw[0] !== VERSION) return null;
  return {
    keyId: ((raw[1] ?? 0) << 8) | (raw[2] ?? 0),
    eventId: idText(raw.subarray(3, 19)),
    ticketId: raw.slice(19, 35),
    nonce: raw.slice(35, 43),
    message: raw.slice(0, MESSAGE),
    signature: raw.slice(MESSAGE),
  };
}

export async function isSigned(signature: Bytes, message: Bytes, publicKey: Bytes): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', key, signature, message);
}

/** The first eight bytes of SHA-256(ticket ‖ nonce), which a snapshot has instead of a QR code. */
export async function tagOf(claim: Claim): Promise<Bytes> {
  const both = Uint8Array.from([...claim.ticketId, ...claim.nonce]);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', both)).slice(0, 8);
}

/** The code as a number to the base 31; null if it is none. */
export function codeNumber(code: string): number | null {
  if (code.length !== 8) return null;
  let number = 0;
  for (const digit of code) {
    const value = CODE_DIGITS.indexOf(digit);
    if (value < 0) return null;
    number = number * 31 + value;
  }
  return number;
}

export function codeText(number: number): string {
  let text = '';
  for (let place = 0; place < 8; place++) {
    text = CODE_DIGITS.charAt(number % 31) + text;
    number = Math.floor(number / 31);
  }
  return text;
}

/** A hand-held scanner types what a camera reads; a person types a code, with blanks and dashes. Null: neither. */
export function brought(text: string): Brought | null {
  const plain = text.trim().toUpperCase();
  if (plain.startsWith(PREFIX)) return { qr: plain.slice(0, QR_MAX) };
  const code = plain.replace(/[\s-]/g, '');
  return /^[0-9A-Z]{8,20}$/.test(code) ? { code } : null;
}

/** From a camera: whatever it reads was shown to the gate, and deserves an answer. */
export function read(text: string): Brought {
  return brought(text) ?? { qr: text.slice(0, QR_MAX) };
}
