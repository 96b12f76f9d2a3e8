// The box office in other sites.

import { words } from '.';

export const sites = {
  title: 'In other sites',
  about: 'A show’s box office stands wherever this line does. Instead of the dots, it names the show, as its address ends; a published show’s page has the line ready.',
  theSites: 'the sites',
  mayShow: 'Sites that may show it',
  mayShowMore: 'One on each line, such as https://www.harbour.example or https://*.harbour.example; twenty at most. With none, any site may.',
  savedThese: 'Saved. Browsers show it in these sites only.',
  savedAny: 'Saved. Any site may show it.',
};

export const t = words('sites', sites);
