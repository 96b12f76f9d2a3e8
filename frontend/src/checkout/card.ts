// Stripe's own fields in our page. Its script comes from js.stripe.com and from nowhere else: they ask for that, and the
// page's content policy allows it where cards are taken. What somebody types into the fields never passes through us.

import type { Buyer } from '../lib/contract';
export type { Buyer } from '../lib/contract';

export const SCRIPT = 'https://js.stripe.com/v3/';

interface StripeError {
  message?: string;
  code?: string;
}

interface Elements {
  create(kind: 'payment', options?: object): { mount(place: HTMLElement): void; unmount(): void; on(event: string, told: (news: { complete?: boolean }) => void): void };
  submit(): Promise<{ error?: StripeError }>;
}

export interface Stripe {
  elements(options: object): Elements;
  confirmPayment(options: object): Promise<{ error?: StripeError; paymentIntent?: { status: string } }>;
}

type Make = (key: string) => Stripe;

/** The script, once for a page. A failure is forgotten, so that it can be tried again. */
let loading: Promise<Make> | null = null;

export function loadStripe(page: Document = document): Promise<Make> {
  const known = (globalThis as { Stripe?: Make }).Stripe;
  if (known) return Promise.resolve(known);
  loading ??= new Promise<Make>((give, fail) => {
    const script = page.createElement('script');
    script.src = SCRIPT;
    script.onload = () => {
      const made = (globalThis as { Stripe?: Make }).Stripe;
      if (made) give(made);
      else over('no Stripe');
    };
    script.onerror = () => over('Stripe is out of reach');
    const over = (why: string) => {
      loading = null;
      script.remove();
      fail(new Error(why));
    };
    page.head.append(script);
  });
  return loading;
}

export class Card {
  private constructor(
    private readonly stripe: Stripe,
    private readonly elements: Elements,
    private readonly field: ReturnType<Elements['create']>,
  ) {}

  static open(make: Make, key: string, place: HTMLElement, price: { amount: number; currency: string }, locale: string, appearance: object): Card {
    const stripe = make(key);
    const elements = stripe.elements({ mode: 'payment', amount: inStripes(price), currency: price.currency.toLowerCase(), locale, appearance });
    const field = elements.create('payment', { fields: { billingDetails: { name: 'never', email: 'never' } } });
    field.mount(place);
    return new Card(stripe, elements, field);
  }

  /** Whether the fields are filled; null if so, a sentence if not. */
  async check(): Promise<string | null> {
    const { error } = await this.elements.submit();
    return error ? (error.message ?? '') : null;
  }

  /** Pays. A sentence if it was refused: the intent stays open, and another card may try. */
  async pay(clientSecret: string, buyer: Buyer, back: string): Promise<string | null> {
    const { error } = await this.stripe.confirmPayment({
      elements: this.elements,
      clientSecret,
      redirect: 'if_required',
      confirmParams: { return_url: back, payment_method_data: { billing_details: buyer } },
    });
    if (error?.code === 'payment_intent_unexpected_state') return null; // paid before a reload: the order will say so
    return error ? (error.message ?? '') : null;
  }

  close(): void {
    this.field.unmount();
  }
}

/** Stripe counts these in hundredths that they do not have (payments/providers/stripe/api_client.py). */
function inStripes({ amount, currency }: { amount: number; currency: string }): number {
  return /ISK|UGX/.test(currency) ? amount * 100 : amount;
}
