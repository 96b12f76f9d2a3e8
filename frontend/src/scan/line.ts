// The connection to the server. A response that is too late or broken counts as none: the gate then decides offline.
import { Offline, Problem } from '../lib/api';
import type { Batch, Hit, Incident, LiveGates, OfflineScan, PairingResult, ScanResponse, ScanRequest } from '../lib/contract';
import type { Answer, Body, Known } from '../lib/routes';
import type { Bytes } from './bytes';
import type { Entry, Wish } from './log';

export type { Hit, Incident, LiveGates as Live, PairingResult, ScanResponse } from '../lib/contract';

/** Timeouts. A person at the gate waits for a scan; a list may take longer, and a snapshot may hold a stadium. */
export const WAIT_MS = { scan: 1_500, list: 8_000, snapshot: 60_000 } as const;
const UNSURE = new Set([408, 425, 429]); // try again: nothing was decided

export class Line {
  constructor(
    private readonly token: string | null,
    private readonly version: string,
  ) {}

  pair(organization: string, code: string): Promise<PairingResult> {
    return this.json('/api/scan/pair', WAIT_MS.list, { organization, code, app_version: this.version });
  }

  scan(entry: Entry, battery: number | null): Promise<ScanResponse> {
    return this.json('/api/scan', WAIT_MS.scan, { ...wished(entry), counter: entry.counter, battery, app_version: this.version });
  }

  async tell(entries: Entry[], now: number, battery: number | null): Promise<void> {
    await this.json('/api/scan/batch', WAIT_MS.snapshot, batch(entries, now, battery, this.version));
  }

  async snapshot(since: number | null): Promise<Bytes> {
    const answer = await this.send(`/api/scan/snapshot${since === null ? '' : `?since=${since}`}`, WAIT_MS.snapshot);
    return new Uint8Array(answer);
  }

  live(): Promise<LiveGates> {
    return this.json('/api/scan/live', WAIT_MS.list);
  }

  search(words: string): Promise<Hit[]> {
    return this.json('/api/scan/search', WAIT_MS.list, { q: words });
  }

  incidents(): Promise<Incident[]> {
    return this.json('/api/scan/incidents', WAIT_MS.list);
  }

  async undo(scanId: string, reason: string): Promise<void> {
    await this.json(`/api/scan/${scanId}/undo`, WAIT_MS.list, { reason });
  }

  private json<const P extends string>(path: P & Known<'GET', P>, waitMs: number): Promise<Answer<'GET', P>>;
  private json<const P extends string>(path: P & Known<'POST', P>, waitMs: number, body: Body<'POST', P>): Promise<Answer<'POST', P>>;
  private async json(path: string, waitMs: number, body?: unknown): Promise<unknown> {
    const answer = await this.send(path, waitMs, body);
    return JSON.parse(new TextDecoder().decode(answer)).data;
  }

  /** The timeout is for the whole response, not for its first byte. */
  private async send(path: string, waitMs: number, body?: unknown): Promise<ArrayBuffer> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (this.token) headers['authorization'] = `Bearer ${this.token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const wish: RequestInit = { method: body === undefined ? 'GET' : 'POST', headers, credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(waitMs) };
    if (body !== undefined) wish.body = JSON.stringify(body);
    let answer: Response;
    let content: ArrayBuffer;
    try {
      answer = await fetch(path, wish);
      content = await answer.arrayBuffer();
    } catch {
      throw new Offline('no connection');
    }
    if (answer.ok) return content;
    if (answer.status >= 500 || UNSURE.has(answer.status)) throw new Offline('no answer');
    throw problem(answer.status, content);
  }
}

/** The server's time: scans are not deleted for good by a device's own clock. */
export async function houseTime(): Promise<number | null> {
  try {
    const answer = await fetch('/health/live', { cache: 'no-store', credentials: 'omit', signal: AbortSignal.timeout(WAIT_MS.list) });
    const time = Date.parse(answer.headers.get('date') ?? '');
    return answer.ok && time ? time : null;
  } catch {
    return null;
  }
}

export function batch(entries: Entry[], now: number, battery: number | null, version: string): Batch {
  const scans = entries.map((entry) => ({ ...told(entry), counter: entry.counter, at: new Date(entry.at).toISOString(), ...(entry.former ? { device_id: entry.former.device } : {}) }));
  const proofs = new Map(entries.flatMap(({ former }) => (former ? [[former.device, former.proof] as const] : [])));
  const former = [...proofs].map(([device_id, proof]) => ({ device_id, proof }));
  return { device_now: new Date(now).toISOString(), scans, ...(former.length ? { former } : {}), battery, app_version: version };
}

function problem(status: number, content: ArrayBuffer): Problem {
  try {
    const { code, detail, fields } = JSON.parse(new TextDecoder().decode(content));
    return new Problem(status, code, detail, fields);
  } catch {
    return new Problem(status, 'unknown', '');
  }
}

function wished(wish: Wish): Pick<ScanRequest, 'qr' | 'code' | 'direction' | 'test' | 'gate_id' | 'override'> {
  const { brought, direction, gateId, test, override } = wish;
  return { ...brought, direction, test, gate_id: gateId || null, ...(override ? { override: { reason: override } } : {}) };
}

/** The server accepts a ticket's code from a paired device; a QR code that is no ticket here is checked again there. */
function told(entry: Entry): Omit<OfflineScan, 'counter' | 'at'> {
  const { decision } = entry;
  const named = decision?.code ? { code: decision.code } : entry.brought;
  const { brought: _, override: __, ...rest } = entry;
  const passed = entry.override && decision?.admitted && decision.reason ? entry.override : null;
  return { ...wished({ ...rest, brought: named as Wish['brought'], override: passed }), admitted: decision?.admitted ?? false, reason: decision?.reason ?? null };
}
