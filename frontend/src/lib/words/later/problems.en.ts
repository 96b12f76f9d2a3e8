// Refusals at the checkout, and for people who have tickets.

import type { Refusals } from '../../refusal';

export const problems: Refusals = {
  move_answered: 'You have already answered, or the time to answer is over.',
};
