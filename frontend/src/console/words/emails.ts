// Emails, and the mailbox.

import { words } from '.';
import { counted } from './spoken';

export const emails = {
  // emails
  emails: 'Emails',
  about: 'The emails that your organisation sends, with your name and colour. The people and the event in these examples are made up.',
  theEmails: 'the emails',
  allEmails: 'All emails',
  example: 'Example',
  exampleOf: (name: string) => `Example: ${name}`,
  asHtml: 'HTML',
  asText: 'Plain text',
  emailNames: {
    order_confirmed: 'Order confirmed',
    order_refunded: 'Order refunded',
    other_seats: 'Other seats offered',
    order_called_off: 'Order cancelled, payment refunded',
    paid_twice: 'Second payment refunded',
    event_cancelled: 'Event cancelled',
    event_postponed: 'Event postponed',
    event_rescheduled: 'Event rescheduled',
    time_changed: 'Event time changed',
    venue_changed: 'Venue changed',
    seats_moved: 'Seats moved',
    ticket_sent: 'Ticket transferred (to the sender)',
    ticket_received: 'Ticket transferred (to the recipient)',
    waiting_list_joined: 'Waitlist joined',
    waiting_list_offer: 'Waitlist offer',
    waiting_list_lapsed: 'Waitlist offer expired',
    waiting_list_closed: 'Waitlist closed',
    queue_opens: 'Waiting room opens soon',
    queue_turn: 'Waiting room: your turn',
    sign_in_link: 'Sign-in link',
    team_invitation: 'Team invitation',
    password_changed: 'Password changed',
    webhook_disabled: 'Webhook disabled',
  },
  emailAbout: {} as Record<string, string>, // the API's own descriptions are English

  // the mailbox
  mailbox: 'Mailbox',
  aboutMailbox: 'All emails created by your organisation. Their content is deleted once they are sent.',
  theMailbox: 'the mailbox',
  waitingHere: 'Emails are not being sent',
  noServer: 'If no mail server is configured',
  noServerMore: ', emails stay here: buyers get no tickets, links or updates. All owners of the organisation can read them below.',
  noEmail: 'No emails yet',
  noEmailMore: 'Invitations, tickets and updates appear here.',
  thisEmail: 'Selected email',
  to: 'To',
  attachments: 'Attachments',
  contentDeleted: 'The content was deleted when the email was sent.',
  emailStates: { waiting: 'waiting', delayed: 'delayed', sent: 'sent', refused: 'rejected' },
  repliesTo: (sender: string, address: string) => `${sender}, replies to ${address}`,
  afterTries: (state: string, n: number) => `${state} after ${counted(n, { one: 'attempt', other: 'attempts' })}`,
  emailsCounted: (n: number) => counted(n, { one: 'email', other: 'emails' }),
};

export const t = words('emails', emails);
