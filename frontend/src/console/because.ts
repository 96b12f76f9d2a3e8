import { common as t, named } from './words';

/** Why something was done: what a person wrote stays as it is, what the house wrote is said in the reader's language. */
export function because(reason: string): string {
  if (reason.includes(' ')) return t.reasons[reason] ?? reason;
  return Object.hasOwn(t.reasons, reason) ? t.reasons[reason]! : named({}, reason);
}
