// Refusals that are met at the checkout, or by whoever has tickets.

import type { Refusals } from '../../refusal';

export const problems: Refusals = {
  move_answered: 'It was answered already, or the time is over.',
};
