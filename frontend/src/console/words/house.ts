// The house itself: its name, its language, its letters.

import { words } from '.';

export const house = {
  theSettings: 'the settings',
  about: 'How the house appears, and what its people may do.',
  shop: 'Its shop',

  // the house
  theHouse: 'The house',
  language: 'Language',
  languageMore: 'Such as en-ZA or af. Pages and letters are in English or Afrikaans, unless somebody chooses the other one.',
  currency: 'Currency',
  currencyMore: 'Three letters, such as ZAR. New ticket types begin with it.',
  timeZone: 'Time zone',
  timeZoneMore: 'Reports count their days in it, and new venues begin with it.',
  contact: 'Address for questions',
  contactMore: 'It stands at the foot of every letter.',

  // its letters
  letters: 'Letters',
  sender: 'Name of the sender',
  senderMore: 'The name of the house if you leave it empty.',
  replyTo: 'Answers go to',
  replyToMore: 'The address for questions if you leave it empty.',
  colour: 'Colour',
  colourMore: 'Of letters, and of tickets in a phone’s wallet.',

  // its limits
  limits: 'Limits',
  capacity: 'Places of a show, at most',
  capacityMore: 'No show can be given more.',
  staffVenues: 'Staff may add and change venues',

  undo: 'Undo my changes',
};

export const t = words('house', house);
