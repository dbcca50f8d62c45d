// The operations of the service that the program calls. Each request is checked against its strict schema before it is sent.
import { z } from 'zod';
import { noShowRequest } from '#schemas/booking.ts';
import { contactListQuery } from '#schemas/contact-request.ts';
import { contact } from '#schemas/contact.ts';
import { customFieldDefinition } from '#schemas/custom-field.ts';
import { eventType } from '#schemas/event-type.ts';
import { invitee, scheduledEvent } from '#schemas/invitee.ts';
import { limits } from '#schemas/limits.ts';
import {
  eventTypeListQuery,
  inviteeListQuery,
  membershipListQuery,
  recapListQuery,
  routingFormListQuery,
  scheduledEventListQuery,
  submissionListQuery,
  subscriptionListQuery,
} from '#schemas/list-query.ts';
import { transcript } from '#schemas/meeting-recap.ts';
import { readRecord } from '#schemas/odd-values.ts';
import { pageQuery, resource } from '#schemas/pagination.ts';
import { routingForm, routingFormSubmission } from '#schemas/routing-form.ts';
import {
  subscriptionRequestWithEventTypes,
  webhookSubscription,
  type WebhookSubscription,
} from '#schemas/subscription.ts';
import { organizationMembership, user } from '#schemas/user.ts';
import { isObject, moment, uri as recordUri, type JsonObject } from '#schemas/wire.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { invalidResponse, type ApiCall, type CallOptions, type Client } from './client.ts';
import { pagesOf, type ApiPage, type PageOptions } from './pages.ts';
import { addressAt, type Query } from './url-guard.ts';

export const getCurrentUser = (client: Client, options?: CallOptions) => getUser(client, '/users/me', options);
export const getUser = recordOf(user);
export const getOrganizationMembership = recordOf(organizationMembership);
export const listOrganizationMemberships = listOf(
  '/organization_memberships',
  membershipListQuery,
  organizationMembership,
);

export const getContact = recordOf(contact);
export const listContacts = listOf('/contacts', contactListQuery, contact);
export const getCustomFieldDefinition = recordOf(customFieldDefinition);
/** Without `count`: the public service names no parameter of this list. */
export const listCustomFieldDefinitions = listOf(
  '/contacts/custom_field_definitions',
  pageQuery,
  customFieldDefinition,
  {},
);

export const getEventType = recordOf(eventType);
/** The query must name an organization or a user. */
export const listEventTypes = listOf('/event_types', eventTypeListQuery, eventType);

export const getScheduledEvent = recordOf(scheduledEvent);
/** The query must name an organization, a user or a group. */
export const listScheduledEvents = listOf('/scheduled_events', scheduledEventListQuery, scheduledEvent);
/** The invitees of one event, by its URI: there is no list of all invitees. */
export const listEventInvitees = (client: Client, event: string, options?: PageOptions) =>
  listOf(`${addressAt(client.origin, event)}/invitees`, inviteeListQuery, invitee)(client, {}, options);

export const getInvitee = recordOf(invitee);

const noShowMark = z.looseObject({ uri: recordUri, created_at: moment });

/** Repeated also when the outcome is unknown: the service rejects a second mark, and the caller then reads the invitee. */
export function createInviteeNoShow(client: Client, marked: string, options?: CallOptions) {
  const body = parseRequest(noShowRequest, { invitee: marked }, 'POST /invitee_no_shows');
  const call = { method: 'POST', path: '/invitee_no_shows', body, isRepeatable: true, reads: noShowMark } as const;
  return callForRecord(client, call, options);
}

/** Returns when it was removed. */
export async function deleteInviteeNoShow(client: Client, uri: string, options?: CallOptions): Promise<string> {
  const { observed } = await client.call({ method: 'DELETE', path: addressAt(client.origin, uri) }, options);
  return observed;
}

/** A record that the log parses; here only what identifies it counts. */
const identified = z.looseObject({ uri: recordUri });

/** A user sees only their own recaps, so each call needs a client of that user. */
export const getMeetingRecap = recordOf(identified);
export const getTranscript = (client: Client, recap: string, options?: CallOptions) =>
  recordOf(transcript)(client, `${recap}/transcript`, options);
export const listMeetingRecaps = listOf('/meeting_recaps', recapListQuery, identified);

export const getRoutingForm = recordOf(routingForm);
export const listRoutingForms = listOf('/routing_forms', routingFormListQuery, routingForm);
export const listRoutingFormSubmissions = listOf(
  '/routing_form_submissions',
  submissionListQuery,
  routingFormSubmission,
);

const subscriptions = '/webhook_subscriptions';
export const listWebhookSubscriptions = listOf(subscriptions, subscriptionListQuery, webhookSubscription);

/**
 * Repeated also when the outcome is unknown: the service rejects a second one for the same URL with 409, and the caller then looks
 * up the existing one. `event_type.*` is allowed (A6c): the service decides whether it supports it.
 */
export function createWebhookSubscription(
  client: Client,
  request: z.input<typeof subscriptionRequestWithEventTypes>,
  options?: CallOptions,
): Promise<FetchedRecord<WebhookSubscription>> {
  const body = parseRequest(subscriptionRequestWithEventTypes, request, `POST ${subscriptions}`);
  const call = { method: 'POST', path: subscriptions, body, secret: body.signing_key, isRepeatable: true } as const;
  return callForRecord(client, { ...call, reads: webhookSubscription }, options);
}

export async function deleteWebhookSubscription(client: Client, uri: string, options?: CallOptions): Promise<void> {
  await client.call({ method: 'DELETE', path: addressAt(client.origin, uri) }, options);
}

/** One record: parsed, as sent, and when. */
export interface FetchedRecord<Item> {
  readonly value: Item;
  /** As the service sent it. */
  readonly record: JsonObject;
  readonly observed: string;
}

function recordOf<Item>(reads: z.ZodType<Item>) {
  return (client: Client, uri: string, options?: CallOptions): Promise<FetchedRecord<Item>> =>
    callForRecord(client, { method: 'GET', path: addressAt(client.origin, uri), reads }, options);
}

async function callForRecord<Item>(
  client: Client,
  { reads, ...call }: Omit<ApiCall<Item>, 'reads'> & { readonly reads: z.ZodType<Item> },
  options?: CallOptions,
): Promise<FetchedRecord<Item>> {
  const { value, observed } = await client.call({ ...call, reads: resource }, options);
  const record = isObject(value.resource) ? value.resource : {};
  const read = readRecord(reads, record);
  if (!read.ok) throw invalidResponse(`${call.method} ${call.path}`, read.issue ? [read.issue] : []);
  return { value: read.record, record, observed };
}

/** The query of a list as callers pass it: `pagesOf` handles the pages, and `count` is a number. */
type ListQuery<Schema extends z.ZodType> = Omit<z.input<Schema>, 'count' | 'page_token'> & { readonly count?: number };

/** Reads a list in the largest pages, which means the fewest calls. */
function listOf<Item, Schema extends z.ZodType>(
  path: string,
  asks: Schema,
  reads: z.ZodType<Item>,
  paging: { readonly count?: number } = { count: limits.pageSize.max },
) {
  return (client: Client, query: ListQuery<Schema>, options?: PageOptions): AsyncGenerator<ApiPage<Item>> => {
    const full = { ...paging, ...query };
    parseRequest(asks, { ...full, count: full.count?.toString() }, `GET ${path}`);
    return pagesOf(client, { path, query: full as Query, reads }, options);
  };
}

/** Returns the parsed request; throws an error that names the invalid parameters, never their values. */
function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const fields = read.error.issues.map(
    ({ path, message }) => `${path.map(String).join('.') || 'the request'}: ${message}`,
  );
  throw new SlotstreamError('usage', `${what} was not sent: ${fields.join('; ')}.`, {
    hint: 'Correct the fields named above.',
  });
}
