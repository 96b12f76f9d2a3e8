// The scanner's language: as chosen on this device; otherwise as the server read it from the browser; otherwise the
// organisation's. One is loaded; the service worker stores all, so that it can be changed offline.
import type { Words } from './en';

const CATALOGUES = { en: async () => (await import('./en')).en, af: async () => (await import('./af')).af } satisfies Record<string, () => Promise<Words>>;
export type Code = keyof typeof CATALOGUES;
/** Each in its own language, for people who do not read the one that is shown. */
export const NAMES: Record<Code, string> = { en: 'English', af: 'Afrikaans' };

const KEPT = 'fullhouse.gate.language';
const page = typeof document === 'undefined' ? null : document;

class Speech {
  code: Code = $state('en');
  /** Nothing is shown before it is there. */
  readonly ready: Promise<void>;
  words: Words | null = $state.raw(null);
  private isChosen = false;
  private wanted: Code = 'en';

  constructor() {
    const chosen = known(remembered());
    this.isChosen = chosen !== null;
    this.ready = this.speak(chosen ?? known(page?.documentElement.lang) ?? 'en');
  }

  /** For dates and times: the day before the month. */
  get locale(): string {
    return this.code === 'en' ? 'en-GB' : this.code;
  }

  choose(code: Code): Promise<void> {
    this.isChosen = true;
    try {
      localStorage.setItem(KEPT, code);
    } catch {
      // not stored: chosen again at the next start
    }
    return this.speak(code);
  }

  /** The organisation's language, if the user has not chosen one. */
  async suggest(locale: string | undefined): Promise<void> {
    const code = known(locale);
    if (code && !this.isChosen && page?.documentElement.dataset['preferred'] === undefined) await this.speak(code);
  }

  private async speak(code: Code): Promise<void> {
    this.wanted = code;
    const words = await CATALOGUES[code]();
    if (this.wanted !== code) return; // another was chosen meanwhile
    this.words = words;
    this.code = code;
    if (!page) return;
    page.documentElement.lang = code;
    page.title = `${words.title} · fullhouse`;
  }
}

function known(locale: string | null | undefined): Code | null {
  const code = locale?.slice(0, 2) ?? '';
  return code in CATALOGUES ? (code as Code) : null;
}

function remembered(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

export const speech = new Speech();

/** The current texts. Components that read them render again when the language changes. */
export const t = new Proxy({} as Words, { get: (_, key) => speech.words![key as keyof Words] });
