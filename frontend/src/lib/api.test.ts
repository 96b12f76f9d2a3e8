import { afterEach, describe, expect, it, vi } from 'vitest';
import { Api, newKey, Offline, Problem } from './api';

const answers = (body: string | null, status: number, headers: Record<string, string> = {}) =>
  vi.stubGlobal('fetch', vi.fn(async () => new Response(body, { status, headers })));

describe('talking to the house', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('takes an answer that is nothing at all', async () => {
    answers('', 202, { 'content-type': 'application/json' });
    await expect(new Api().post('/api/auth/magic-link', { organization: 'a', email: 'a@example.org' })).resolves.toBeUndefined();
    answers(null, 204);
    await expect(new Api().delete('/api/waitlist')).resolves.toBeUndefined();
  });
  it('says whose session is meant, and sends a file as it is', async () => {
    answers('{"data": {"id": "1"}}', 201);
    const file = new Blob(['x'], { type: 'image/png' });
    await expect(new Api('org', () => 'token').upload('/api/images', file)).resolves.toEqual({ id: '1' });
    const [, asked] = vi.mocked(fetch).mock.calls[0]!;
    expect(asked).toMatchObject({ method: 'POST', body: file, headers: { 'x-organization': 'org', authorization: 'Bearer token', 'content-type': 'image/png' } });
  });
  it('has problems with their code and their fields', async () => {
    answers('{"status": 422, "code": "invalid", "detail": "No.", "fields": [{"path": "name", "message": "Too long."}]}', 422, { 'retry-after': '7' });
    const problem = await new Api().get('/api/me').catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ status: 422, code: 'invalid', message: 'No.', retryAfter: 7, fields: [{ path: 'name', message: 'Too long.' }] });
  });
  it('knows that there is no connection', async () => {
    vi.stubGlobal('fetch', vi.fn(async () => Promise.reject(new TypeError('failed'))));
    await expect(new Api().get('/api/me')).rejects.toBeInstanceOf(Offline);
  });
  it('makes keys on a page without https too', () => {
    const { getRandomValues } = crypto;
    vi.stubGlobal('crypto', { getRandomValues: getRandomValues.bind(crypto) });
    const keys = new Set(Array.from({ length: 100 }, newKey));
    expect(keys.size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
  });
});
