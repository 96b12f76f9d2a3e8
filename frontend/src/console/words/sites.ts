// Selling on other websites.

import { words } from '.';

export const sites = {
  title: 'Sell on your website',
  about: 'Paste this line into a page of your website to sell tickets there. Replace the dots with the last part of the event’s web address, or copy the finished line from the page of a published event.',
  theSites: 'the allowed websites',
  allowedSites: 'Allowed websites',
  allowedSitesMore: 'One on each line, such as https://www.harbour.example or https://*.harbour.example. At most twenty. If empty: any website.',
  savedSome: 'Saved. Only these websites can sell your tickets.',
  savedAny: 'Saved. Any website can sell your tickets.',
};

export const t = words('sites', sites);
