// What the parts of the history share: the service, its clock, and the shapes of what happened.
import type { Random } from './random.ts';

export type Fields = Record<string, unknown>;

/** What happened, before it is written as a body. */
export interface Happening {
  readonly event: string;
  readonly payload: Fields;
}

export interface Person {
  readonly name: string;
  readonly email: string;
}

export interface Meeting {
  record: Fields;
  readonly isGroup: boolean;
  /** All who were ever booked on it. */
  readonly people: Person[];
  active: number;
}

export interface World {
  readonly random: Random;
  readonly canaries: Canaries;
  uri(kind: string): string;
  now(): string;
  later(hours: number): string;
  readonly hot: number | undefined;
}

export type Canaries = ReturnType<typeof canaries>;

/** Values that must not be in any output. Every person, address, link and text of the history contains one of them. */
export function canaries(seed: number) {
  const tag = (seed >>> 0).toString(36);
  return {
    name: `Quillfeather${tag}`,
    address: `mailbox${tag}x`,
    token: `secretlink${tag}`,
    answer: `confided${tag}`,
    phone: `555${String(seed >>> 0).padStart(10, '0')}`,
    notes: `whispered${tag}`,
  };
}

export const serviceUrl = 'https://api.scheduling.example';

/** A moment as the service writes it: with 6, 3 or no digits, sometimes with an offset. */
export function timeText(random: Random, ms: number): string {
  const digits = random.below(10);
  const local = new Date(digits === 9 ? ms + 2 * 3_600_000 : ms).toISOString();
  const micros = `${local.slice(0, 23)}${String(random.below(1000)).padStart(3, '0')}`;
  if (digits === 9) return `${micros}+02:00`;
  if (digits === 8) return `${local.slice(0, 19)}Z`;
  return digits === 7 ? local : `${micros}Z`;
}
