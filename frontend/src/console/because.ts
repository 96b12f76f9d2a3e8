import { common as t, named } from './words';

/** The reason for an action: a person's text is unchanged, the server's own reasons are translated. */
export function because(reason: string): string {
  if (reason.includes(' ')) return t.reasons[reason] ?? reason;
  return Object.hasOwn(t.reasons, reason) ? t.reasons[reason]! : named({}, reason);
}
