// What every rule of the service works with: its records, its clock, its random choices, and a way to emit facts to subscribers.
import type { EventKind } from '#schemas/events.ts';
import type { JsonObject } from '#schemas/wire.ts';
import { notFound } from '#src/http/http-error.ts';
import type { Random } from '#src/sandbox/random.ts';
import type { Clock } from '#src/sandbox/clock.ts';
import type { State } from './state.ts';

/** Something that happened, sent to the subscriptions it concerns. */
export interface Fact {
  readonly event: EventKind;
  /** The envelope's `created_at`. */
  readonly at: string;
  readonly payload: JsonObject;
  readonly organization: string;
  /** The users it belongs to: the hosts of a meeting, the owner of a contact. */
  readonly users: readonly string[];
}

export interface ServiceOptions {
  readonly baseUrl: string;
  readonly seed: number;
  /** Payloads as the specification describes them, instead of nested as the public service sends them (A4b, A4c). */
  readonly flat: boolean;
  /** Accepts `event_type.*` in subscriptions, as the public service does and the specification's enum does not (A6c). */
  readonly eventTypes: boolean;
  /** Off for benchmarks. */
  readonly rateLimits: boolean;
}

export interface Service {
  readonly options: ServiceOptions;
  readonly state: State;
  readonly clock: Clock;
  /** One sequence of random choices for the whole run: the same calls in the same order make the same choices. */
  readonly random: Random;
  /** Sends the fact to the subscriptions it concerns. */
  emit(fact: Fact): void;
}

/** A new URI of this kind of record. */
export function newUri({ options, random }: Pick<Service, 'options' | 'random'>, path: string): string {
  return `${options.baseUrl}/${path}/${random.uuid()}`;
}

/** The record, or else a 404 that names the `parameter` of the request. */
export function found<Item>(item: Item | undefined, what: string, parameter?: string): Item {
  if (item === undefined) throw notFound(`No such ${what}.`, parameter);
  return item;
}

/** The fields that are not undefined: what a request leaves out overwrites nothing. */
export function given<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const defined: object = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return defined;
}
