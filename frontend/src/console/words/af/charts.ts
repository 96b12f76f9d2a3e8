import type { charts as en } from '../charts';

export const charts: typeof en = {
  drawn: (title) => `Grafiek: ${title}. Die tabel hieronder het dieselfde getalle.`,
  theNumbers: 'Wys tabel',
  nothingYet: 'Geen data vir hierdie tydperk nie',
  time: 'Tyd',
  soldByHour: 'Kaartjies verkoop per uur',
  soldByDay: 'Kaartjies verkoop per dag',
};
