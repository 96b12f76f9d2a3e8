import { describe, expectTypeOf, it } from 'vitest';
import type { Api } from './api';
import type { EventReport, EventView, FoundOrder, Offer, Place, checkout_model_Session } from './contract';
import type { Answer, Body, Giving, Known } from './routes';

// What is said here is found by the compiler (`npm run check`): nothing of it is left when it runs.
describe('a path', () => {
  it('has its own answer, whatever is filled in or asked for', () => {
    expectTypeOf<Answer<'GET', `/api/events/${string}/report`>>().toEqualTypeOf<EventReport>();
    expectTypeOf<Answer<'GET', `/api/events/${string}`>>().toEqualTypeOf<EventView>();
    expectTypeOf<Answer<'GET', `/api/events/${string}/offers?x=${string}`>>().toEqualTypeOf<Offer[]>();
    expectTypeOf<Answer<'POST', '/api/orders/search', 'row'>>().toEqualTypeOf<FoundOrder>();
    expectTypeOf<Answer<'POST', `/api/events/${string}/checkout`>>().toEqualTypeOf<checkout_model_Session | Place>();
    expectTypeOf<Answer<'GET', string>>().toBeUnknown();
  });

  it('is known, or no path at all; and not checked if its beginning is not there', () => {
    expectTypeOf<Known<'GET', `/api/events/${string}/offer`>>().toBeNever();
    expectTypeOf<Known<'DELETE', '/api/me'>>().toBeNever();
    expectTypeOf<Known<'POST', `${string}/offers`>>().toEqualTypeOf<`${string}/offers`>();
    expectTypeOf<Body<'POST', '/api/auth/guest'>>().toEqualTypeOf<{ organization: string | null; name?: string | null }>();
  });

  it('gives a page what it reads, if that is in its answer', () => {
    expectTypeOf<Giving<'GET', { released_by_house: number }>>().toEqualTypeOf<`/api/events/${string}/report` | `/api/events/${string}/report?${string}`>();
    expectTypeOf<Giving<'GET', { released_by_house: string }>>().toBeNever();
  });

  it('is asked for by the client, with its body', () => {
    const calls = (api: Api, id: string) => [
      api.get(`/api/events/${id}/offers`),
      api.get<{ name: string }>(`/api/events/${id}`),
      api.post(`/api/orders/${id}/consent`, { accept: true }),
      // @ts-expect-error there is no such path
      api.get(`/api/events/${id}/offer`),
      // @ts-expect-error the answer has no such field
      api.get<{ nickname: string }>(`/api/events/${id}`),
      // @ts-expect-error a path that answers otherwise
      api.get<Offer[]>(`/api/events/${id}/report`),
      // @ts-expect-error a body without what it needs
      api.post(`/api/orders/${id}/consent`, {}),
      // @ts-expect-error a method that the path does not have
      api.delete('/api/me'),
    ];
    expectTypeOf(calls).returns.toBeArray();
  });
});
