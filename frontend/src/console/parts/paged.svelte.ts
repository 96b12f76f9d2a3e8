// A list that comes page by page.

import type { Api, Page } from '../../lib/api';
import type { Giving } from '../../lib/routes';

export class Paged<Row> {
  rows: Row[] = $state.raw([]);
  next: string | null = $state(null);
  busy = $state(false);
  error: Error | null = $state.raw(null);
  /** Of the first page, for `Asked`. */
  first: Promise<Row[]> = $state.raw(Promise.resolve([]));
  private asked: { path: string; body?: unknown } = { path: '' };

  /** `() => api` where a page's property is meant. */
  constructor(private readonly api: Api | (() => Api)) {}

  /** From the start. `path` may have a query; what names people goes into a body. */
  read(path: Giving<'GET' | 'POST', Row, 'row'>, body?: unknown): void {
    this.begin(path, body);
  }

  private begin(path: string, body: unknown): void {
    this.asked = { path, body };
    this.first = this.ask(null).then((rows) => rows ?? this.rows);
  }

  again(): void {
    this.begin(this.asked.path, this.asked.body);
  }

  async more(): Promise<void> {
    await this.ask(this.next).catch((error: Error) => (this.error = error));
  }

  private async ask(cursor: string | null): Promise<Row[] | null> {
    const { asked } = this;
    const { path, body } = asked;
    this.busy = true;
    this.error = null;
    try {
      const more = cursor ? `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}` : '';
      const page: Page<Row> = await (typeof this.api === 'function' ? this.api() : this.api).page<Row>((path + more) as Giving<'GET' | 'POST', Row, 'row'>, body === undefined ? {} : { method: 'POST', body });
      if (asked !== this.asked) return null; // a newer request was made in the meantime
      this.rows = cursor ? [...this.rows, ...page.data] : page.data;
      this.next = page.next_cursor;
      return this.rows;
    } finally {
      if (asked === this.asked) this.busy = false;
    }
  }
}

/** `?a=1&b=2` of what is set. */
export function query(values: Record<string, string | null | undefined>): '' | `?${string}` {
  const set = Object.entries(values).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return set.length ? `?${new URLSearchParams(set)}` : '';
}
