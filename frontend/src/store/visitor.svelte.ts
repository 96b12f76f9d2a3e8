// Who is buying: somebody signed in, or a guest, made with the first seat. On our own pages the session is in a cookie
// that no script sees. In another site's frame there is no such cookie: the frame has a guest of its own, whose token it
// keeps for as long as its tab is open (docs/adr/0027-widget.md).

import { Api, Problem } from '../lib/api';
import { remember, remembered } from '../lib/remembered';

interface Person {
  name: string | null;
  email: string | null;
}

export class Visitor {
  readonly api: Api;
  person: Person | null = $state.raw(null);
  private isKnown = false;
  private token: string | null = null;

  constructor(
    readonly organization: string,
    private readonly house: string,
    private readonly embedded: boolean,
  ) {
    if (embedded) this.token = remembered(this.key);
    this.api = new Api(house, embedded ? () => this.token : null);
  }

  /** Whether this browser may have a session here: if not, the server need not be asked. */
  get mayBeBack(): boolean {
    return this.embedded ? this.token !== null : remembered(this.mark, 'local') !== null;
  }

  async signIn(): Promise<void> {
    if (this.isKnown || (await this.recognise())) return;
    const session = await this.api.post('/api/auth/guest', { organization: this.organization });
    if (this.embedded) remember(this.key, (this.token = session.token));
    else remember(this.mark, '1', 'local');
    this.isKnown = true;
  }

  /** Finds the session of this visitor, if there is one. */
  async recognise(): Promise<boolean> {
    const me = this.embedded ? await this.tokensOwner() : await this.cookiesOwner();
    if (me?.email) this.person = me;
    return (this.isKnown = me !== null);
  }

  /** Requests a list, which may be empty: a 401 would log an error in every new visitor's browser. */
  private async cookiesOwner(): Promise<Person | null> {
    const open = await this.api.get('/api/auth/sessions');
    const here = open.find(({ id }) => id === this.house);
    return here ? { name: here.user_name, email: here.email } : null;
  }

  private async tokensOwner(): Promise<Person | null> {
    if (!this.token) return null;
    try {
      return await this.api.get('/api/me');
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 401) throw error;
      return null;
    }
  }

  private get mark(): string {
    return `fullhouse:${this.organization}`;
  }

  private get key(): string {
    return `fullhouse:token:${this.organization}`;
  }
}
