// The service's own reading operations, answered from the mirror: the same paths below /api, parameters, pages, order and errors. A program
// written for the service runs here by changing its base address and its token. Each list and record is a line below; its fields follow
// from the declaration of the table (`record.ts`), its filters from `lists.ts`.
import { z } from 'zod';
import { eventTypeResource } from '#schemas/resources/event-type.ts';
import { inviteeResource, noShowResource } from '#schemas/resources/invitee.ts';
import { publicMembershipResource, publicRecapResource } from '#schemas/resources/public-form.ts';
import { routingFormResource, routingFormSubmissionResource } from '#schemas/resources/routing-form.ts';
import { scheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { userResource } from '#schemas/resources/user.ts';
import { webhookSubscriptionResource } from '#schemas/resources/webhook-subscription.ts';
import { isObject } from '#schemas/wire.ts';
import { defineQuestion, type QuestionContext } from '#src/api/api-operation.ts';
import { isIdentifier, rowNamed, type NamedTable } from '#src/api/row-record.ts';
import { notFound } from '#src/http/http-error.ts';
import type { Listing, PageRequest } from '#src/http/pagination.ts';
import { inviteeConditions } from '#src/read/bookings/meetings.ts';
import { markNamed } from '#src/read/bookings/marks.ts';
import { relationNamed } from '#src/read/tables/relation.ts';
import { readRows } from '#src/read/tables/rows.ts';
import type { Readable } from '#src/store/contract.ts';
import { rowsByUri } from '#src/store/record-search.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { declaredTables } from '#src/store/schema/tables.ts';
import { readTokenUser } from '#src/store/token-user.ts';
import { isOwnOrganization, ownOrganization } from '#src/read/organization.ts';
import { inviteeRecord } from './invitee.ts';
import { serviceLists, type ServiceList } from '#src/read/service/lists.ts';
import { recordSchema, recordsOf, type Fields } from './record.ts';

type Records = (context: QuestionContext, rows: readonly StoredRow[]) => readonly object[] | Promise<readonly object[]>;

interface Resource {
  readonly table: NamedTable;
  /** The folder of its URIs and of its paths. */
  readonly path: string;
  readonly tag: string;
  /** One of them, in a sentence. */
  readonly what: string;
  readonly fields: Fields;
  /** Where the service's record has more than the row. */
  readonly records?: Records;
}

const common = { method: 'GET', conventions: 'service' } as const;

function recordsIn({ table, fields, records }: Resource): Records {
  if (records !== undefined) return records;
  const recordOf = recordsOf(declaredTables[table], fields);
  return (_context, rows) => rows.map(recordOf);
}

function get(
  resource: Resource,
  { id, path = `${resource.path}/{uuid}` }: { readonly id: string; readonly path?: string },
) {
  const { table, what, tag, fields } = resource;
  const toRecords = recordsIn(resource);
  return defineQuestion({
    ...common,
    id,
    tag,
    path: `/api${path}`,
    summary: `One ${what}`,
    errors: { 404: `No such ${what}.` },
    answers: 'resource',
    schema: recordSchema(fields),
    async run(call) {
      const row = await rowNamed(call.reading, table, call.params['uuid'] ?? '', what);
      return oneOf(await toRecords(call, [exists(row, what)]), what);
    },
  });
}

interface ListOptions<Query extends z.ZodType> {
  readonly id: string;
  readonly path?: string;
  readonly summary: string;
  readonly list: ServiceList<Query>;
}

function list<Query extends z.ZodType>(
  resource: Resource,
  { id, path = resource.path, summary, list: asked }: ListOptions<Query>,
) {
  const toRecords = recordsIn(resource);
  return defineQuestion({
    ...common,
    id,
    tag: resource.tag,
    path: `/api${path}`,
    summary,
    query: asked.query,
    answers: 'collection',
    schema: recordSchema(resource.fields),
    async run(call) {
      const { query, reading } = call;
      await requireOwn(reading, query);
      const also = [...asked.where(reading.engine, query)];
      return listed(call, { resource, toRecords, also, ...orderOf(asked.orders, query), page: call.pageIn });
    },
  });
}

interface Listed {
  readonly resource: Pick<Resource, 'table'>;
  readonly toRecords: Records;
  readonly also: ReturnType<ServiceList<z.ZodType>['where']>;
  readonly column: string;
  readonly sort: string;
  page(sort: string): PageRequest;
}

/** A page of the door: rows without a value to sort by come last. */
async function listed(
  context: QuestionContext,
  { resource, toRecords, also, column, sort, page }: Listed,
): Promise<Listing> {
  const relation = await relationNamed(context.reading, resource.table);
  const { count, descending, from, backwards } = page(sort);
  const select = Object.keys(relation.columns).map((name) => ({ name, column: name, aggregate: undefined }));
  const question = {
    where: [],
    select,
    isGrouped: false,
    order: [{ name: column, isDescending: descending }],
    limit: undefined,
  };
  const found = await readRows(context.reading, relation, {
    question,
    page: {
      limit: count,
      isBackwards: backwards,
      from: from && z.array(sortValue).parse(JSON.parse(from.key)),
      also,
      sortsAll: true,
    },
  });
  if (typeof found === 'string') throw new TypeError(`${resource.table} cannot be listed: ${found}.`);
  const position = (values: typeof found.first) => values && { key: JSON.stringify(values), uri: '' };
  return {
    records: await toRecords(context, found.rows),
    first: position(found.first),
    last: position(found.last),
    hasNext: found.hasNext,
    hasPrevious: found.hasPrevious,
  };
}

const sortValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

function orderOf(orders: ServiceList<z.ZodType>['orders'], query: unknown): Pick<Listed, 'column' | 'sort'> {
  const asked = isObject(query) && typeof query['sort'] === 'string' ? query['sort'] : '';
  const [usual = 'uri'] = Object.keys(orders);
  const sort = asked === '' ? `${usual}:asc` : asked;
  const [field = usual] = sort.split(':');
  return { column: orders[field] ?? field, sort };
}

/** The service answers 404 for an organization that the token does not know. */
async function requireOwn(reading: Readable, query: unknown): Promise<void> {
  const organization = isObject(query) ? query['organization'] : undefined;
  if (typeof organization === 'string' && !(await isOwnOrganization(reading, organization)))
    throw notFound('This mirror is of another organization.', 'organization');
}

function exists<Row extends StoredRow>(row: Row, what: string): Row {
  if ((row['deleted_at'] ?? null) !== null) throw notFound(`No such ${what}.`);
  return row;
}

function oneOf(records: readonly object[], what: string): object {
  const [record] = records;
  if (record === undefined) throw notFound(`No such ${what}.`);
  return record;
}

/** A user is of one organization, and not every list of the service says of which. */
const userRecord = recordsOf(declaredTables.users, userResource);
const users: Resource = {
  table: 'users',
  path: '/users',
  tag: 'Users',
  what: 'user',
  fields: userResource,
  async records({ reading }, rows) {
    const organization = await ownOrganization(reading);
    return rows.map((row) => {
      const record = userRecord(row);
      return {
        ...record,
        current_organization: record['current_organization'] ?? organization ?? null,
        resource_type: record['resource_type'] ?? 'User',
      };
    });
  },
};

/** The public service puts the user into the membership; the specification names the user. */
const membershipRecord = recordsOf(declaredTables.organization_memberships, publicMembershipResource);
const membershipUser = recordsOf(declaredTables.users, publicMembershipResource.shape.user);
const memberships: Resource = {
  table: 'organization_memberships',
  path: '/organization_memberships',
  tag: 'Users',
  what: 'membership',
  fields: publicMembershipResource.extend({ user: recordSchema(publicMembershipResource.shape.user) }),
  async records({ reading }, rows) {
    const uris = rows.flatMap(({ user_uri: uri }) => (typeof uri === 'string' ? [uri] : []));
    const found = new Map((await rowsByUri(reading, 'users', [...new Set(uris)])).map((row) => [row.uri, row]));
    return rows.map((row) => {
      const user = found.get(String(row['user_uri']));
      const { current_organization: _organization, resource_type: _type, ...shown } = user ? membershipUser(user) : {};
      return { ...membershipRecord(row), user: user ? shown : { uri: row['user_uri'] ?? null } };
    });
  },
};

const eventTypes: Resource = {
  table: 'event_types',
  path: '/event_types',
  tag: 'Event types',
  what: 'event type',
  fields: eventTypeResource,
};
const scheduledEvents: Resource = {
  table: 'scheduled_events',
  path: '/scheduled_events',
  tag: 'Scheduled events',
  what: 'scheduled event',
  fields: scheduledEventResource,
};
const invitees: Resource = {
  table: 'invitees',
  path: '/scheduled_events/{uuid}/invitees',
  tag: 'Scheduled events',
  what: 'invitee',
  fields: inviteeResource,
  records: (_context, rows) => rows.map(inviteeRecord),
};
const recaps: Resource = {
  table: 'meeting_recaps',
  path: '/meeting_recaps',
  tag: 'Meeting recaps',
  what: 'meeting recap',
  // The specification has a text, the public service an object.
  fields: publicRecapResource.extend({ location: z.union([z.looseObject({}), z.string()]) }),
};
const routingForms: Resource = {
  table: 'routing_forms',
  path: '/routing_forms',
  tag: 'Routing forms',
  what: 'routing form',
  fields: routingFormResource,
};
const submissions: Resource = {
  table: 'routing_form_submissions',
  path: '/routing_form_submissions',
  tag: 'Routing forms',
  what: 'routing form submission',
  fields: routingFormSubmissionResource,
};
const subscriptions: Resource = {
  table: 'webhook_subscriptions',
  path: '/webhook_subscriptions',
  tag: 'Webhook subscriptions',
  what: 'webhook subscription',
  fields: webhookSubscriptionResource,
};

const listOfInvitees = recordsIn(invitees);

export const serviceOperations = [
  defineQuestion({
    ...common,
    id: 'getCurrentUser',
    tag: users.tag,
    path: '/api/users/me',
    summary: 'The user of the token with which the mirror last asked the service',
    errors: { 404: 'It is not known: no bootstrap, backfill or comparison has asked the service yet.' },
    answers: 'resource',
    schema: recordSchema(userResource),
    async run(call) {
      const uri = await readTokenUser(call.reading);
      const rows = uri === undefined ? [] : await rowsByUri(call.reading, 'users', [uri]);
      if (rows.length === 0)
        throw notFound(
          uri === undefined
            ? 'No bootstrap or backfill has asked the service yet which user its token belongs to.'
            : 'The user of the token is not mirrored yet: run a backfill.',
        );
      return oneOf(await recordsIn(users)(call, rows), users.what);
    },
  }),
  get(users, { id: 'getUser' }),
  list(memberships, {
    id: 'listOrganizationMemberships',
    summary: 'Who belongs to the organization',
    list: serviceLists.memberships,
  }),
  get(memberships, { id: 'getOrganizationMembership' }),
  list(eventTypes, { id: 'listEventTypes', summary: 'What can be booked', list: serviceLists.eventTypes }),
  get(eventTypes, { id: 'getEventType' }),
  list(scheduledEvents, {
    id: 'listScheduledEvents',
    summary: 'Meetings, in the order of their start',
    list: serviceLists.scheduledEvents,
  }),
  get(scheduledEvents, { id: 'getScheduledEvent' }),
  defineQuestion({
    ...common,
    id: 'listScheduledEventInvitees',
    tag: invitees.tag,
    path: `/api${invitees.path}`,
    summary: 'The invitees of a meeting',
    errors: { 404: 'No such scheduled event.' },
    query: serviceLists.invitees.query,
    answers: 'collection',
    schema: recordSchema(inviteeResource),
    async run(call) {
      const { reading, query, params } = call;
      const { uri } = await rowNamed(reading, 'scheduled_events', params['uuid'] ?? '', scheduledEvents.what);
      const { orders } = serviceLists.invitees;
      const { email, status } = query;
      const also = inviteeConditions(reading.engine, { email, status, event: uri });
      return listed(call, {
        resource: invitees,
        toRecords: listOfInvitees,
        also,
        ...orderOf(orders, query),
        page: call.pageIn,
      });
    },
  }),
  defineQuestion({
    ...common,
    id: 'getScheduledEventInvitee',
    tag: invitees.tag,
    path: `/api${invitees.path}/{invitee_uuid}`,
    summary: 'One invitee',
    errors: { 404: 'No such invitee.' },
    answers: 'resource',
    schema: recordSchema(inviteeResource),
    async run(call) {
      const { reading, params } = call;
      const { uuid = '', invitee_uuid: id = '' } = params as Record<string, string>;
      const { uri } = await rowNamed(reading, 'scheduled_events', uuid, invitees.what);
      const rows = isIdentifier(id) ? await rowsByUri(reading, 'invitees', [`${uri}/invitees/${id}`]) : [];
      return oneOf(await listOfInvitees(call, rows), invitees.what);
    },
  }),
  defineQuestion({
    ...common,
    id: 'getInviteeNoShow',
    tag: invitees.tag,
    path: '/api/invitee_no_shows/{uuid}',
    summary: 'The mark of an invitee who did not come',
    errors: { 404: 'No such mark, or it was removed.' },
    answers: 'resource',
    schema: recordSchema(noShowResource),
    async run({ reading, params: { uuid = '' } }) {
      const mark = isIdentifier(uuid) ? await markNamed(reading, `/invitee_no_shows/${uuid}`) : undefined;
      if (mark === undefined) throw notFound('No such no-show.');
      return { uri: mark.no_show_uri, invitee: mark.invitee_uri, created_at: mark.marked_at };
    },
  }),
  list(recaps, {
    id: 'listMeetingRecaps',
    summary: 'Recaps of meetings',
    list: serviceLists.recaps,
  }),
  get(recaps, { id: 'getMeetingRecap' }),
  list(routingForms, { id: 'listRoutingForms', summary: 'The routing forms', list: serviceLists.routingForms }),
  get(routingForms, { id: 'getRoutingForm' }),
  list(submissions, {
    id: 'listRoutingFormSubmissions',
    summary: 'The submissions of a form',
    list: serviceLists.submissions,
  }),
  get(submissions, { id: 'getRoutingFormSubmission' }),
  list(subscriptions, {
    id: 'listWebhookSubscriptions',
    summary: 'What is registered, as last seen at the service',
    list: serviceLists.subscriptions,
  }),
  get(subscriptions, { id: 'getWebhookSubscription' }),
] as const;
