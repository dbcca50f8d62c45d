// The contract of an event kind: what the specification says about it, and how its payload is read.
import type { z } from 'zod';
import type { ApiScope } from './api-scope.ts';
import type { JsonObject } from './wire.ts';

export const subscriptionScopes = ['organization', 'user', 'group'] as const;
export type SubscriptionScope = (typeof subscriptionScopes)[number];

export type EventFamily = 'contact' | 'invitee' | 'event-type' | 'meeting-recap' | 'routing-form';

/** How a record is read, whether a delivery carries it or the API answered with it. */
export interface RecordReader<Subject extends EventRecord = EventRecord> {
  /** Brings nested and flat payloads (A4b, A4c) into the one record that `schema` describes. */
  unwrap(payload: JsonObject): JsonObject;
  readonly schema: z.ZodType<Subject>;
  /** Where the record exceeds a limit of the specification: noted, never a reason to refuse what was sent. */
  notes(record: Subject): readonly string[];
}

export interface EventContract<Subject extends EventRecord = EventRecord> extends RecordReader<Subject> {
  readonly family: EventFamily;
  readonly allowedScopes: readonly SubscriptionScope[];
  readonly requiredCallerScope: ApiScope;
  /** Whether the `events` enum of POST /webhook_subscriptions holds it; that enum is authoritative for the request. */
  readonly inRequestEnum: boolean;
}

/** What every payload has in common once read: the URI of its subject, and whatever else was sent. */
export interface EventRecord extends JsonObject {
  readonly uri: string;
}

export const asSent = (payload: JsonObject): JsonObject => payload;
export const noNotes = (): readonly string[] => [];
