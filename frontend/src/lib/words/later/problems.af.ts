// Weierings by die betaling, of vir wie kaartjies het.

import type { Refusals } from '../../refusal';

// Why a card was declined, as its provider calls it.
const DECLINED: Record<string, string> = {
  card_declined: 'Die kaart is geweier. Probeer ’n ander een.',
  insufficient_funds: 'Daar is nie genoeg geld op die kaart nie.',
  expired_card: 'Die kaart het verval.',
  incorrect_cvc: 'Die sekuriteitskode is verkeerd.',
  never_arrived: 'Die betaling het nie aangekom nie. Probeer weer.',
};

export const problems: Refusals = {
  ticket_not_valid: 'Hierdie kaartjie is nie meer geldig nie.',
  move_answered: 'Dit is reeds beantwoord, of die tyd is verby.',
  order_not_found: 'Daar is nie so ’n bestelling nie.',
  no_consent_needed: 'Dit is reeds beantwoord, of die tyd is verby.',
  payment_provider_wrong: 'Kies ’n ander manier om te betaal.',
  payment_provider_unknown: 'Kies ’n ander manier om te betaal.',
  payment_declined: ({ failure_code }) => DECLINED[failure_code as string] ?? 'Die betaling is geweier. Probeer weer, of betaal anders.',
  ticket_not_found: 'Hierdie kaartjie is nie joune nie.',
  ticket_not_moved: 'Hierdie kaartjie is waar dit was.',
  no_seat_to_accept: 'Jy kan net die geld kry.',
  nothing_to_send: 'Daar is geen kaartjies om te stuur nie.',
};
