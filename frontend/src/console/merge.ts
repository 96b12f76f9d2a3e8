// Two people change the same thing. The second to save keeps their input, and sees what the other has changed.

export interface Merged<Form> {
  form: Form;
  /** What the other has changed, of what I had read. */
  theirs: (keyof Form)[];
  /** The fields that both changed: the form has the user's version. */
  both: (keyof Form)[];
}

export function merge<Form extends object>(read: Form, mine: Form, now: Form): Merged<Form> {
  const keys = Object.keys(read) as (keyof Form)[];
  const theirs = keys.filter((key) => !same(read[key], now[key]));
  const changed = (key: keyof Form) => !same(read[key], mine[key]);
  return {
    form: Object.fromEntries(keys.map((key) => [key, changed(key) ? mine[key] : now[key]])) as Form,
    theirs,
    both: theirs.filter((key) => changed(key) && !same(mine[key], now[key])),
  };
}

/** What of a form differs from how it was read. */
export function changes<Form extends object>(read: Form, mine: Form): Partial<Form> {
  return Object.fromEntries(Object.entries(mine).filter(([key, value]) => !same(read[key as keyof Form], value))) as Partial<Form>;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
