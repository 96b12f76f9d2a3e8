// A live stream of an event or an organisation (Server-Sent Events). The browser reconnects by itself with the last event id.

export interface Live {
  stop(): void;
}

type Handlers = Record<string, (data: never) => void>;

/** `lost` is called with true when nothing was received for a while, and with false when the stream is back. */
export function listen(path: string, handlers: Handlers, lost: (isLost: boolean) => void): Live {
  let source: EventSource | null = null;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  const heard = () => {
    lost(false);
    clearTimeout(silence);
    silence = setTimeout(() => lost(true), 90_000);
  };
  const open = () => {
    source = new EventSource(path);
    source.onopen = heard;
    source.onerror = () => {
      lost(true);
      if (source?.readyState === EventSource.CLOSED && !stopped) setTimeout(() => !stopped && open(), 3000);
    };
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => {
        heard();
        handle(JSON.parse((event as MessageEvent<string>).data) as never);
      });
    }
  };
  open();
  return {
    stop() {
      stopped = true;
      clearTimeout(silence);
      source?.close();
    },
  };
}
