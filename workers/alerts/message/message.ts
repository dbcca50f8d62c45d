// What an alert says, before any channel gives it its form: plain values, none of them trusted, every one escaped by the channel.
export interface Message {
  /** The same for every attempt: whoever gets it twice can tell. */
  readonly id: string;
  readonly rule: string;
  /** The message that this one takes back. */
  readonly follows: string | undefined;
  readonly kind: 'alert' | 'retraction' | 'digest' | 'test';
  /** `No-show: Ada Lovelace`. */
  readonly title: string;
  /** A sentence; what a rule's template makes of it; in a digest a line for each alert. */
  readonly text: string;
  /** Labels and values, in order. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly link: string | undefined;
  readonly occurredAt: string;
  /** For machines; in a digest one for each alert. */
  readonly subjects: readonly string[];
}
