// Letters, and the mailbox.

import { words } from '.';
import { counted } from './spoken';

export const letters = {
  // letters
  letters: 'Letters',
  about: 'What this house writes to people, in your name and your colour. The people and the show in these examples do not exist.',
  theLetters: 'the letters',
  allLetters: 'All letters',
  example: 'Example',
  exampleOf: (name: string) => `Example: ${name}`,
  asItLooks: 'As it looks',
  asText: 'As text',
  letterNames: {
    order_confirmed: 'Order confirmed',
    order_refunded: 'Order refunded',
    other_seats: 'Other seats',
    order_called_off: 'Order called off',
    paid_twice: 'Paid twice',
    event_cancelled: 'Event cancelled',
    event_postponed: 'Event postponed',
    event_rescheduled: 'Event rescheduled',
    time_changed: 'Time changed',
    venue_changed: 'Venue changed',
    seats_moved: 'Seats moved',
    ticket_sent: 'Ticket sent',
    ticket_received: 'Ticket received',
    waiting_list_joined: 'Waiting list joined',
    waiting_list_offer: 'Waiting list offer',
    waiting_list_lapsed: 'Waiting list lapsed',
    waiting_list_closed: 'Waiting list closed',
    queue_opens: 'Queue opens',
    queue_turn: 'Queue turn',
    sign_in_link: 'Sign in link',
    team_invitation: 'Team invitation',
    password_changed: 'Password changed',
    webhook_disabled: 'Webhook disabled',
  },
  letterAbout: {} as Record<string, string>, // as the API says it

  // the mailbox
  mailbox: 'Mailbox',
  aboutMailbox: 'Every letter that was written here. Its text is blanked once it is sent.',
  theMailbox: 'the mailbox',
  waitingHere: 'Letters are waiting here.',
  noServer: 'If no mail server is set',
  noServerMore: ', none of them leaves this house: nobody gets tickets, links or news by mail. You can read them below, and so can every owner.',
  noLetter: 'No letter yet',
  noLetterMore: 'Invitations, tickets and news stand here when they are written.',
  thisLetter: 'The letter',
  to: 'To',
  enclosed: 'Enclosed',
  blanked: 'Its text was blanked when it was sent.',
  mailStates: { waiting: 'waiting', delayed: 'delayed', sent: 'sent', refused: 'refused' },
  answersTo: (sender: string, address: string) => `${sender}, answers to ${address}`,
  afterTries: (state: string, n: number) => `${state} after ${counted(n, { one: 'try', other: 'tries' })}`,
  lettersCounted: (n: number) => counted(n, { one: 'letter', other: 'letters' }),
};

export const t = words('letters', letters);
