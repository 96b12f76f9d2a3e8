// The organisation's settings: profile, emails, limits.

import { words } from '.';

export const organisation = {
  theSettings: 'the settings',
  about: 'Your organisation’s details, its emails and its limits.',
  shop: 'Your shop',

  // profile
  profile: 'Organisation details',
  language: 'Language',
  languageMore: 'Such as en-ZA or af. Pages and emails are in English or Afrikaans, unless the reader chooses the other.',
  currency: 'Currency',
  currencyMore: 'A three-letter code, such as ZAR. The default for new ticket types.',
  timeZone: 'Time zone',
  timeZoneMore: 'Used for days in reports, and the default for new venues.',
  contact: 'Contact email',
  contactMore: 'Shown at the bottom of every email.',

  // emails
  emails: 'Emails',
  sender: 'Sender name',
  senderMore: 'If empty, the name of the organisation.',
  replyTo: 'Reply-to address',
  replyToMore: 'If empty, the contact email.',
  colour: 'Colour',
  colourMore: 'Used in emails and for tickets in phone wallets.',

  // limits
  limits: 'Limits',
  maxCapacity: 'Maximum event capacity',
  maxCapacityMore: 'No event can have a higher capacity.',
  staffVenues: 'Staff can add and edit venues',

  undoChanges: 'Undo changes',
};

export const t = words('organisation', organisation);
