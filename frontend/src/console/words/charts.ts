// Texts of charts.

import { words } from '.';

export const charts = {
  drawn: (title: string) => `Chart: ${title}. The table below has the same numbers.`,
  theNumbers: 'Show table',
  nothingYet: 'No data for this period',
  time: 'Time',
  soldByHour: 'Tickets sold by hour',
  soldByDay: 'Tickets sold by day',
};

export const t = words('charts', charts);
