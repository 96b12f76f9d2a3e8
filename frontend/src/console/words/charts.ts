// Around a chart.

import { words } from '.';

export const charts = {
  drawn: (title: string) => `${title}, drawn. The same numbers are in the table below.`,
  theNumbers: 'The numbers',
  nothingYet: 'Nothing in this time',
  time: 'Time',
  soldByHour: 'Tickets sold by hour',
  soldByDay: 'Tickets sold by day',
};

export const t = words('charts', charts);
