// Organisations, for platform staff.

import { words } from '.';
import { counted } from './spoken';

export const platform = {
  // organisations
  organisations: 'Organisations',
  about: 'All organisations that sell on this installation.',
  createOrganisation: 'Create organisation',
  theOrganisations: 'the organisations',
  none: 'No organisations yet',
  noneMore: 'Create one. Its owner gets an invitation.',
  suchAs: 'Lowercase letters, digits and hyphens, such as harbour-theatre.',
  firstOwner: 'Email address of the first owner',
  createNow: 'Create organisation',
  isCreated: (name: string) => `${name} created. Its owner gets an invitation by email.`,
  organisationStates: { active: 'active', suspended: 'suspended' },
  organisationsCounted: (n: number) => counted(n, { one: 'organisation', other: 'organisations' }),

  // one organisation
  theOrganisation: 'the organisation',
  suspend: 'Suspend',
  suspendSure: 'Suspend this organisation?',
  suspendIt: 'Suspend organisation',
  signedOut: 'All its users are signed out and can’t sign in.',
  notSold: 'Sales of its events stop.',
  isSuspended: 'Organisation suspended.',
  reactivateSure: 'Reactivate this organisation?',
  reactivateNow: 'Reactivate organisation',
  canSignIn: 'Its users can sign in again.',
  isReactivated: 'Organisation reactivated.',

  // stopping an event
  whyStop: 'Postpone or cancel an event only for safety, abuse or legal reasons.',
  noEvents: 'No upcoming events',
  nothingToStop: 'There is nothing to postpone or cancel.',
  eventsOf: 'Events of the organisation',
  eventStates: { draft: 'draft', published: 'published', live: 'live', postponed: 'postponed', ended: 'ended', cancelled: 'cancelled', archived: 'archived' },
  eventsCounted: (n: number) => counted(n, { one: 'event', other: 'events' }),
  postpone: 'Postpone',
  postponeOne: (name: string) => `Postpone ${name}`,
  postponeSure: (name: string) => `Postpone “${name}”?`,
  postponeEvent: 'Postpone event',
  postponeMore: 'Sales stop until it has a new date. All ticket holders get an email.',
  cancel: 'Cancel',
  cancelOne: (name: string) => `Cancel ${name}`,
  cancelSure: (name: string) => `Cancel “${name}”?`,
  cancelEvent: 'Cancel event',
  cancelMore: 'This can’t be undone. All ticket holders get an email and a refund.',
  isCancelled: (name: string) => `${name} cancelled.`,
  isPostponed: (name: string) => `${name} postponed.`,
  seatsOf: (name: string) => `Seats of ${name}`,
  approval: 'Approval by the organisation',
  approvalIfAny: 'Approval by the organisation (optional)',
  whereFound: 'A reference, such as an email, a call or a case number.',
};

export const t = words('platform', platform);
