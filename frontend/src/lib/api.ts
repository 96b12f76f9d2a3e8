// The API client: JSON in and out, problems as errors with their code, the session in a cookie that scripts cannot read.
// Requests and responses are typed by the contract (contract.ts): by the path alone, or by a type that a page gives, which
// the response must contain.

import { language } from './language';
import type { Answer, Body, Giving, Known } from './routes';

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly fields: { path: string; message: string }[] = [],
    readonly more: Record<string, unknown> = {},
    readonly retryAfter: number | null = null,
  ) {
    super(detail);
  }
}

export class Offline extends Error {}

interface Options {
  method?: string;
  body?: unknown;
  file?: Blob; // in place of a body
  key?: string; // Idempotency-Key
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

export class Api {
  /** `organization` selects one of the sessions in the cookie. With `bearer` no cookie is sent or stored. */
  constructor(
    private readonly organization: string | null = null,
    private readonly bearer: (() => string | null) | null = null,
  ) {}

  get<const P extends string>(path: P & Known<'GET', P>, options?: Options): Promise<Answer<'GET', P>>;
  get<T = never>(path: Giving<'GET', T>, options?: Options): Promise<T>;
  async get(path: string, options: Options = {}): Promise<unknown> {
    return (await this.whole<{ data: unknown }>(path, options)).data;
  }

  page<const P extends string>(path: P & Known<'GET', P>, options?: Options): Promise<Page<Answer<'GET', P, 'row'>>>;
  page<T = never>(path: Giving<'GET' | 'POST', T, 'row'>, options?: Options): Promise<Page<T>>;
  async page(path: string, options: Options = {}): Promise<unknown> {
    return this.whole(path, options);
  }

  post<const P extends string>(path: P & Known<'POST', P>, body?: Body<'POST', P>, options?: Options): Promise<Answer<'POST', P>>;
  post<T = never>(path: Giving<'POST', T>, body?: unknown, options?: Options): Promise<T>;
  async post(path: string, body?: unknown, options: Options = {}): Promise<unknown> {
    return (await this.whole<{ data: unknown }>(path, { ...options, method: 'POST', body })).data;
  }

  put<const P extends string>(path: P & Known<'PUT', P>, body: Body<'PUT', P>, options?: Options): Promise<Answer<'PUT', P>>;
  put<T = never>(path: Giving<'PUT', T>, body: unknown, options?: Options): Promise<T>;
  async put(path: string, body: unknown, options: Options = {}): Promise<unknown> {
    return (await this.whole<{ data: unknown }>(path, { ...options, method: 'PUT', body })).data;
  }

  patch<const P extends string>(path: P & Known<'PATCH', P>, body: Body<'PATCH', P>, options?: Options): Promise<Answer<'PATCH', P>>;
  patch<T = never>(path: Giving<'PATCH', T>, body: unknown, options?: Options): Promise<T>;
  async patch(path: string, body: unknown, options: Options = {}): Promise<unknown> {
    return (await this.whole<{ data: unknown }>(path, { ...options, method: 'PATCH', body })).data;
  }

  async delete<const P extends string>(path: P & Known<'DELETE', P>, options: Options = {}): Promise<void> {
    await this.whole(path, { ...options, method: 'DELETE' });
  }

  upload<const P extends string>(path: P & Known<'POST', P>, file: Blob): Promise<Answer<'POST', P>>;
  upload<T = never>(path: Giving<'POST', T>, file: Blob): Promise<T>;
  async upload(path: string, file: Blob): Promise<unknown> {
    return (await this.whole<{ data: unknown }>(path, { method: 'POST', file })).data;
  }

  /** A text response, such as an SVG drawing of the request's body. */
  async text<const P extends string>(path: P & Known<'POST', P>, body: unknown, signal?: AbortSignal): Promise<string> {
    return (await this.send(path, { method: 'POST', body, ...(signal ? { signal } : {}) })).text();
  }

  /** A public resource, requested without session headers, so that the preload in the page's head is used. */
  async open(path: string): Promise<Response> {
    return this.fetched(path, {});
  }

  async bytes(path: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    return this.send(path, signal ? { headers, signal } : { headers });
  }

  private async whole<T>(path: string, options: Options): Promise<T> {
    const answer = await this.send(path, options);
    const text = await answer.text(); // a response may be empty although its content type is JSON
    return (text ? JSON.parse(text) : { data: undefined }) as T;
  }

  private async send(path: string, options: Options): Promise<Response> {
    // The page's language, also used for emails: in another site's frame there is no cookie that says so.
    const headers: Record<string, string> = { accept: 'application/json', 'accept-language': language, ...options.headers };
    if (this.organization) headers['x-organization'] = this.organization;
    if (options.body !== undefined) headers['content-type'] = 'application/json';
    if (options.file) headers['content-type'] = options.file.type;
    if (options.key) headers['idempotency-key'] = options.key;
    const token = this.bearer?.();
    if (token) headers.authorization = `Bearer ${token}`;
    return this.fetched(path, {
      method: options.method ?? 'GET',
      headers,
      body: options.file ?? (options.body === undefined ? null : JSON.stringify(options.body)),
      signal: options.signal ?? null,
    });
  }

  private async fetched(path: string, wish: RequestInit): Promise<Response> {
    let answer: Response;
    try {
      answer = await fetch(path, { ...wish, credentials: this.bearer ? 'omit' : 'same-origin' });
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw new Offline('You’re offline. Check your connection.');
    }
    if (answer.ok || answer.status === 304) return answer;
    throw await problem(answer);
  }
}

async function problem(answer: Response): Promise<Problem> {
  const wait = Number(answer.headers.get('retry-after')) || null;
  try {
    const { status, code, detail, fields, ...more } = await answer.json();
    return new Problem(status, code, detail, fields, more, wait);
  } catch {
    return new Problem(answer.status, 'unknown', 'Something went wrong. Try again.', [], {}, wait);
  }
}

/** An idempotency key: repeats of a request with the same key take effect once. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(''); // plain http has no randomUUID
}
