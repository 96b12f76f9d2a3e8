import type { charts as en } from '../charts';

export const charts: typeof en = {
  drawn: (title) => `${title}, geteken. Dieselfde getalle is in die tabel hieronder.`,
  theNumbers: 'Die getalle',
  nothingYet: 'Niks in hierdie tyd nie',
  time: 'Tyd',
  soldByHour: 'Kaartjies verkoop per uur',
  soldByDay: 'Kaartjies verkoop per dag',
};
