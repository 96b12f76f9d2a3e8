// Weierings by die betaling, of vir wie kaartjies het.

import type { Refusals } from '../../refusal';

// Why a card was declined, by the payment provider's code.
const DECLINED: Record<string, string> = {
  card_declined: 'Die kaart is geweier. Probeer ’n ander een.',
  insufficient_funds: 'Daar is nie genoeg geld op die kaart nie.',
  expired_card: 'Die kaart het verval.',
  incorrect_cvc: 'Die sekuriteitskode is verkeerd.',
  never_arrived: 'Die betaling is nie ontvang nie. Probeer weer.',
};

export const problems: Refusals = {
  ticket_not_valid: 'Hierdie kaartjie is nie meer geldig nie.',
  move_answered: 'Jy het reeds geantwoord, of die tyd om te antwoord is verby.',
  order_not_found: 'Hierdie bestelling is nie gevind nie.',
  no_consent_needed: 'Jy het reeds geantwoord, of die tyd om te antwoord is verby.',
  payment_provider_wrong: 'Kies ’n ander betaalmetode.',
  payment_provider_unknown: 'Kies ’n ander betaalmetode.',
  payment_declined: ({ failure_code }) => DECLINED[failure_code as string] ?? 'Die betaling is geweier. Probeer weer, of betaal anders.',
  ticket_not_found: 'Hierdie kaartjie is nie gevind nie, of dit is nie meer joune nie.',
  ticket_not_moved: 'Hierdie kaartjie se sitplek is nie verander nie.',
  no_seat_to_accept: 'Daar is geen nuwe sitplek nie: hierdie kaartjie kan net terugbetaal word.',
  nothing_to_send: 'Hierdie bestelling het geen kaartjies om te stuur nie.',
};
