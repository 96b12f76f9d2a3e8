// Organisations, as the platform sees them.

import { words } from '.';
import { counted } from './spoken';

export const platform = {
  // organisations
  organisations: 'Organisations',
  about: 'Everybody who sells here.',
  openOne: 'Open an organisation',
  theOrganisations: 'the organisations',
  none: 'No organisation yet',
  noneMore: 'Open one, and its owner gets an invitation.',
  suchAs: 'Small letters, such as harbour-theatre.',
  firstOwner: 'Its first owner’s address',
  openIt: 'Open it',
  isOpen: (name: string) => `${name} is open. Its owner gets an invitation by mail.`,
  organisationStates: { active: 'active', suspended: 'suspended' },
  organisationsCounted: (n: number) => counted(n, { one: 'organisation', other: 'organisations' }),

  // one of them
  theOrganisation: 'the organisation',
  suspend: 'Suspend',
  suspendSure: 'Suspend the organisation?',
  suspendIt: 'Suspend it',
  signedOut: 'All its people are signed out, and nobody can sign in.',
  notSold: 'Its shows are not sold here meanwhile.',
  isSuspended: 'The organisation is suspended.',
  letBackSure: 'Let the organisation back in?',
  letItBackIn: 'Let it back in',
  canSignIn: 'Its people can sign in again.',
  isOpenAgain: 'The organisation is open again.',

  // stopping a show
  whyStop: 'The platform stops a show for safety, abuse or the law.',
  noShow: 'No show ahead',
  nothingToStop: 'There is nothing to stop.',
  showsOf: 'Shows of the organisation',
  showStates: { draft: 'draft', published: 'published', live: 'live', postponed: 'postponed', ended: 'ended', cancelled: 'cancelled', archived: 'archived' },
  showsCounted: (n: number) => counted(n, { one: 'show', other: 'shows' }),
  postpone: 'Postpone',
  postponeOne: (name: string) => `Postpone ${name}`,
  postponeSure: (name: string) => `Postpone “${name}”?`,
  postponeShow: 'Postpone the show',
  postponeMore: 'Nothing is sold until it has a new date. Everybody with a ticket is told.',
  cancel: 'Cancel',
  cancelOne: (name: string) => `Cancel ${name}`,
  cancelSure: (name: string) => `Cancel “${name}”?`,
  cancelShow: 'Cancel the show',
  cancelMore: 'It is called off for good: everybody with a ticket is told, and gets the money back.',
  isCancelled: (name: string) => `${name} is cancelled.`,
  isPostponed: (name: string) => `${name} is postponed.`,
  seatsOf: (name: string) => `Seats of ${name}`,
  approval: 'The organisation’s approval',
  approvalIfAny: 'The organisation’s approval (if there is one)',
  whereFound: 'Where it can be found: a letter, a call, a case number.',
};

export const t = words('platform', platform);
