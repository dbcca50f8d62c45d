// How the public service answers where it differs from the specification: other records, lists, errors and scopes, each in one entry.
import { z } from 'zod';
import { isApiScope } from '#schemas/api-scope.ts';
import { alreadyAccepted, alreadyExists, alreadyExistsCode, publicErrors, publicMessages } from '#schemas/errors.ts';
import { availableTimesQuery } from '#schemas/list-query.ts';
import { contactResource, customFieldDefinitionResource } from '#schemas/resources/contact.ts';
import { eventTypeResource } from '#schemas/resources/event-type.ts';
import { meetingRecapResource, transcriptResource } from '#schemas/resources/meeting-recap.ts';
import {
  publicAvailableTimeList,
  publicContactResource,
  publicDefinitionList,
  publicDefinitionResource,
  publicEventTypeResource,
  publicMembershipResource,
  publicOrganizationResource,
  publicRecapListItem,
  publicRecapResource,
  publicScheduledEventResource,
  publicTranscriptResource,
  publicUserResource,
} from '#schemas/resources/public-form.ts';
import { organizationResource } from '#schemas/resources/organization.ts';
import { scheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { membershipResource, userResource } from '#schemas/resources/user.ts';
import { publicSubscriptionRequest } from '#schemas/subscription.ts';
import { HttpError } from '#src/http/http-error.ts';
import {
  publicEventType,
  publicLocation,
  publicMeeting,
  publicOrganization,
  publicUser,
} from '#src/sandbox/world/public-records.ts';
import { found, type Service } from '#src/sandbox/world/service.ts';
import { listEventTypes } from './event-types.ts';
import { listMeetingRecaps } from './meeting-recaps.ts';
import { isVisible } from './permissions.ts';
import type { Caller, ServiceOperation } from './service-operation.ts';

type Change = (operation: ServiceOperation) => ServiceOperation;

type RecordOf = (record: object, service: Service) => object;

const contacts = showing(publicContactResource, contactRecord);
const memberships = showing(publicMembershipResource, membershipRecord);
const recaps = showing(publicRecapResource, recapRecord);
const users = showing(publicUserResource, (record) => publicUser(userResource.parse(record)));
const meetings = showing(publicScheduledEventResource, (record) => publicMeeting(scheduledEventResource.parse(record)));
const eventTypes = showing(publicEventTypeResource, (record, { state }) => {
  const eventType = eventTypeResource.parse(record);
  return publicEventType(eventType, state.eventTypes.get(eventType.uri));
});
const conflicting: Change = (operation) => ({ ...contacts(operation), conflicts: true });

const changes: Readonly<Record<string, Change>> = {
  listContacts: contacts,
  getContact: contacts,
  createContact: conflicting,
  updateContact: conflicting,
  listCustomFieldDefinitions: inOnePage(publicDefinitionList, { query: z.object({}), recordOf: definitionRecord }),
  getCustomFieldDefinition: showing(publicDefinitionResource, definitionRecord),
  createWebhookSubscription: (operation) => ({ ...operation, body: publicSubscriptionRequest }),
  listEventTypeAvailableTimes: inOnePage(publicAvailableTimeList, {
    query: availableTimesQuery.omit({ count: true, page_token: true }).strip(),
  }),
  listEventTypes: () =>
    eventTypes(listEventTypes(({ pooling_type }, { user }) => pooling_type === 'round_robin' && user === undefined)),
  getEventType: eventTypes,
  createEventType: eventTypes,
  updateEventType: eventTypes,
  listScheduledEvents: meetings,
  getScheduledEvent: meetings,
  getCurrentUser: users,
  getUser: users,
  getOrganization: showing(publicOrganizationResource, (record, { state }) =>
    publicOrganization(organizationResource.parse(record), state),
  ),
  listOrganizationMemberships: memberships,
  getOrganizationMembership: memberships,
  // No user or organization has to be named: it lists what the caller may see.
  listMeetingRecaps: () =>
    showing(publicRecapListItem, (record, service) => withoutHighlights.parse(recapRecord(record, service)))(
      listMeetingRecaps(
        ({ caller }) =>
          (recap) =>
            isVisible(caller, recap, [recap.user]),
      ),
    ),
  getMeetingRecap: recaps,
  updateMeetingRecap: recaps,
  getMeetingRecapTranscript: showing(publicTranscriptResource, transcriptText),
};

export const inPublicForm: Change = (operation) => changes[operation.id]?.(operation) ?? operation;

/** Other records, made from those of the specification. */
function showing(schema: z.ZodType, recordOf: RecordOf): Change {
  return (operation) => {
    if (operation.answers === 'resource')
      return { ...operation, schema, run: async (call) => recordOf(await operation.run(call), call.service) };
    if (operation.answers !== 'collection') throw new TypeError(`${operation.id} answers with no record.`);
    return {
      ...operation,
      schema,
      async run(call) {
        const listing = await operation.run(call);
        return { ...listing, records: listing.records.map((record) => recordOf(record, call.service)) };
      },
    };
  };
}

/** A list without `pagination`; `count` and `page_token` are ignored. */
function inOnePage(schema: z.ZodType, { query, recordOf }: { query: z.ZodType; recordOf?: RecordOf }): Change {
  const whole = { count: Infinity, descending: false, backwards: false };
  return (operation) => {
    if (operation.answers !== 'collection') throw new TypeError(`${operation.id} answers with no list.`);
    return {
      ...operation,
      answers: 'object',
      query,
      schema,
      async run(call) {
        const { records } = await operation.run({ ...call, pageIn: () => whole });
        return { collection: recordOf ? records.map((record) => recordOf(record, call.service)) : records };
      },
    };
  };
}

/** The address of the page on which people see it. */
const pageOf = ({ options }: Service, uri: string): string =>
  `${options.baseUrl}/pages${uri.slice(options.baseUrl.length)}`;

function contactRecord(record: object, service: Service): object {
  return { ...record, app_url: pageOf(service, contactResource.parse(record).uri) };
}

function definitionRecord(record: object): object {
  const { retired_at: _retired, options, ...definition } = customFieldDefinitionResource.parse(record);
  const shown = options?.map((option) => ({ ...option, color: null, is_active: true }));
  return { ...definition, ...(shown && { options: shown }) };
}

function membershipRecord(record: object, { state }: Service): object {
  const membership = membershipResource.parse(record);
  const {
    current_organization: _organization,
    resource_type: _type,
    ...user
  } = publicUser(found(state.users.get(membership.user), 'user'));
  return { ...membership, user };
}

const withoutHighlights = publicRecapListItem.strip();
const withoutOwner = publicRecapResource.strip();

/** With the place as the meeting has it. */
function recapRecord(record: object, service: Service): object {
  const recap = meetingRecapResource.parse(record);
  const meeting = service.state.scheduledEvents.get(recap.event ?? '');
  const location = meeting ? publicLocation(meeting) : null;
  return withoutOwner.parse({ ...recap, location, app_url: pageOf(service, recap.uri), status: 'Available' });
}

function transcriptText(record: object): object {
  const { uri, segments } = transcriptResource.parse(record);
  return { uri, text: segments.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n') };
}

/** Here `<domain>:write` includes `<domain>:read` in every domain. */
export function publicCaller(caller: Caller): Caller {
  const included = caller.scopes.map((scope) => scope.replace(/:write$/, ':read')).filter(isApiScope);
  return { ...caller, scopes: [...caller.scopes, ...included] };
}

export function publicError({ status, body }: HttpError): HttpError {
  const taken = body.details?.find(({ code }) => code === alreadyExistsCode);
  if (taken !== undefined) return new HttpError(409, { ...body, title: alreadyExists.title, message: taken.message });
  const message = publicMessages.get(body.message) ?? body.message;
  // As recorded: neither an unknown caller nor a missing resource has details.
  if (status === 401 || status === 404)
    return new HttpError(status, { ...body, ...publicErrors[status], details: undefined });
  // A title of its own is more exact than that of its status.
  const title = body.title === alreadyAccepted.title ? {} : publicErrors[status];
  return new HttpError(status, { ...body, message, ...title });
}
