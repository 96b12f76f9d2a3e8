// An organisation's or an event's stream for its team (Server-Sent Events).

import { type Api, Offline, Problem } from '../lib/api';
import type { Live } from '../lib/live';

type Handlers = Record<string, (data: never) => void>;

/** Read by `fetch`: an `EventSource` cannot say which of several organisations is meant, `fetch` can. */
export function follow(api: Api, path: string, handlers: Handlers, lost: (isLost: boolean) => void): Live {
  const stop = new AbortController();
  let seen: string | null = null;
  let wait = 1000;

  const take = (frame: Frame) => {
    if (frame.retry !== null) wait = frame.retry;
    if (frame.id !== null) seen = frame.id;
    if (frame.data !== null) handlers[frame.event]?.(JSON.parse(frame.data) as never);
  };
  const once = async () => {
    const answer = await api.bytes(path, { accept: 'text/event-stream', ...(seen ? { 'last-event-id': seen } : {}) }, stop.signal);
    lost(false);
    const parse = framer(take);
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) parse(part.value);
  };
  const forever = async () => {
    while (!stop.signal.aborted) {
      try {
        await once();
      } catch (error) {
        if (stop.signal.aborted) return;
        lost(true);
        if (error instanceof Problem && error.status < 500 && error.status !== 429) return;
        wait = error instanceof Problem && error.retryAfter ? error.retryAfter * 1000 : error instanceof Offline ? 3000 : wait;
      }
      await new Promise((done) => setTimeout(done, wait));
    }
  };
  void forever();
  return { stop: () => stop.abort() };
}

export interface Frame {
  event: string;
  data: string | null;
  id: string | null;
  retry: number | null;
}

/** Server-Sent Events out of pieces of text, however they are cut. */
export function framer(take: (frame: Frame) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const blocks = (rest + text).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const frame: Frame = { event: 'message', data: null, id: null, retry: null };
      for (const line of block.split('\n')) {
        const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        if (name === 'event') frame.event = value;
        else if (name === 'data') frame.data = frame.data === null ? value : `${frame.data}\n${value}`;
        else if (name === 'id') frame.id = value;
        else if (name === 'retry') frame.retry = Number(value) || null;
      }
      take(frame);
    }
  };
}
