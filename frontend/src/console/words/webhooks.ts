// Webhooks, and what was sent to them.

import { words } from '.';
import { counted } from './spoken';

export const webhooks = {
  // the list
  webhooks: 'Webhooks',
  about: 'Addresses that are told what happens here, as it happens.',
  add: 'Add a webhook',
  theWebhooks: 'the webhooks',
  noWebhook: 'No webhook yet',
  noWebhookMore: 'Give an address of yours, and choose what it is told.',
  whatFor: 'What for',
  toldOf: 'Told of',
  webhooksCounted: (n: number) => counted(n, { one: 'webhook', other: 'webhooks' }),
  saysGone: 'Given up: it says it is gone',
  fails: 'Given up: it fails',
  on: 'On',
  off: 'Off',
  failures: (n: number) => `${n} failures in a row`,

  // one webhook
  theWebhook: 'the webhook',
  webhook: 'Webhook',
  givenUp: 'We have given this address up',
  goneForGood: 'It answered that it is gone for good.',
  failedSince: (when: string) => `It has failed since ${when}.`,
  failedLong: 'It has failed since long.',
  mendIt: 'Mend it, then turn it on again under Change.',
  formerSecret: 'Former secret',
  signsUntil: (when: string) => `also signs until ${when}`,
  changeWebhook: 'Change the webhook',
  isChanged: 'The webhook is changed.',
  deleteSure: 'Delete the webhook?',
  logGoes: 'Its log of deliveries goes too. What waits is not sent.',
  isDeleted: 'The webhook and its log are deleted.',

  // its secret
  itsSecret: 'The webhook’s secret',
  signedWithIt: 'Messages are signed with it: give it to whoever receives them.',
  newSecret: 'New secret',
  theNewSecret: 'The new secret',
  formerAsWell: 'For a day, messages are signed with the former one as well.',
  newSecretSure: 'Make a new secret?',
  bothSignatures: 'The new one is shown once. For a day messages carry both signatures, so that nothing is lost meanwhile.',

  // what was sent
  sendTest: 'Send a test',
  sending: 'Sending…',
  answeredAfter: (status: number | null, ms: number | null) => `It answered ${status} after ${ms} ms.`,
  didNotWork: (why: string) => `It did not work: ${why}.`,
  answeredSmall: (status: number | null) => `it answered ${status}`,
  answered: (status: number) => `It answered ${status}`,
  triesCounted: (n: number) => counted(n, { one: 'try', other: 'tries' }),
  notTried: 'Not tried yet',
  nextTry: (tries: number, when: string) => `${tries}, the next at ${when}`,
  deliveries: 'Deliveries',
  delivered: 'Delivered',
  failed: 'Failed',
  deliveryStates: { pending: 'waiting', delivered: 'delivered', failed: 'failed' },
  deliveriesCounted: (n: number) => counted(n, { one: 'delivery', other: 'deliveries' }),
  nothingSent: 'Nothing was sent yet',
  nothingLikeThat: 'Nothing was sent like that',
  theDeliveries: 'the deliveries',
  thirtyDays: 'What is sent stands here for thirty days.',
  error: 'Error',
  whatWasSent: 'What was sent',
  itAnswered: 'It answered',
  sendAgain: 'Send it again',
  sendFailed: 'Send failed again',
  sendFailedSure: 'Send all failed deliveries again?',
  sendFailedMore: 'Each goes out under its own webhook-id, oldest first, 20 a second: a receiver that has it already can tell.',
  sendThem: 'Send them',
  failedSent: (n: number) => (n ? `${counted(n, { one: 'delivery is', other: 'deliveries are' })} being sent again.` : 'No delivery has failed.'),
  sentAgain: 'It is sent again in a moment, under the same webhook-id.',

  // its form
  reachable: 'https, and reachable from here.',
  oneALine: 'One a line: a fact, a family such as event.*, or * for all.',
  addOne: 'Add one',
  choose: 'Choose…',
};

export const t = words('webhooks', webhooks);
