// Webhooks and their deliveries.

import { words } from '.';
import { counted } from './spoken';

export const webhooks = {
  // the list
  webhooks: 'Webhooks',
  about: 'Notify your own systems when something happens here, such as a paid order.',
  addWebhook: 'Add webhook',
  theWebhooks: 'the webhooks',
  noWebhook: 'No webhooks yet',
  noWebhookMore: 'Enter a URL and choose what to send to it.',
  url: 'URL',
  whatFor: 'Description',
  events: 'Messages',
  webhooksCounted: (n: number) => counted(n, { one: 'webhook', other: 'webhooks' }),
  disabledGone: 'Disabled: address gone',
  disabledFailing: 'Disabled: failing',
  on: 'Enabled',
  off: 'Disabled',
  failures: (n: number) => `${n} failures in a row`,

  // one webhook
  theWebhook: 'the webhook',
  webhook: 'Webhook',
  isDisabled: 'This webhook is disabled',
  respondedGone: 'The address responded that it no longer exists (410).',
  failedSince: (when: string) => `It has been failing since ${when}.`,
  failingLong: 'It failed for too long.',
  fixIt: 'Fix the receiver, then enable the webhook under Edit.',
  previousSecret: 'Previous secret',
  signsUntil: (when: string) => `also used for signatures until ${when}`,
  changeWebhook: 'Edit webhook',
  isChanged: 'Webhook saved.',
  deleteSure: 'Delete this webhook?',
  logGoes: 'Its delivery log is deleted too. Pending messages are not sent.',
  isDeleted: 'Webhook deleted.',

  // secret
  itsSecret: 'Webhook secret',
  signedWithIt: 'Messages are signed with it. Store it in the system that receives them.',
  newSecret: 'Replace secret',
  theNewSecret: 'New secret',
  bothForADay: 'For 24 hours, messages are also signed with the previous secret.',
  newSecretSure: 'Replace the secret?',
  bothSignatures: 'The new secret is shown once. For 24 hours, messages carry both signatures, so that none is rejected while you switch.',

  // deliveries
  sendTest: 'Send test',
  sending: 'Sending…',
  respondedAfter: (status: number | null, ms: number | null) => `Response ${status} after ${ms} ms.`,
  testFailed: (why: string) => `The test failed: ${why}.`,
  respondedSmall: (status: number | null) => `response ${status}`,
  responded: (status: number) => `Response ${status}`,
  triesCounted: (n: number) => counted(n, { one: 'attempt', other: 'attempts' }),
  notTriedYet: 'Not sent yet',
  nextTry: (tries: number, when: string) => `${tries}, next at ${when}`,
  deliveries: 'Deliveries',
  delivered: 'Delivered',
  failed: 'Failed',
  deliveryStates: { pending: 'pending', delivered: 'delivered', failed: 'failed' },
  deliveriesCounted: (n: number) => counted(n, { one: 'delivery', other: 'deliveries' }),
  noDeliveries: 'No deliveries yet',
  noneMatch: 'No matching deliveries',
  theDeliveries: 'the deliveries',
  thirtyDays: 'Deliveries are listed here for 30 days.',
  error: 'Error',
  payload: 'Message',
  response: 'Response',
  resend: 'Resend',
  resendFailed: 'Resend failed deliveries',
  resendFailedSure: 'Resend all failed deliveries?',
  resendFailedMore: 'Each keeps its webhook-id, so that receivers can recognise messages they already have. Oldest first, 20 per second.',
  resendNow: 'Resend',
  failedResent: (n: number) => (n ? `${counted(n, { one: 'delivery is', other: 'deliveries are' })} being resent.` : 'There are no failed deliveries.'),
  isResent: 'The message is being resent with the same webhook-id.',

  // its form
  reachable: 'An https:// address that can be reached from the internet.',
  onePerLine: 'One per line: a message such as order.paid, a group such as event.*, or * for all.',
  addOne: 'Add a message',
  choose: 'Choose…',
};

export const t = words('webhooks', webhooks);
