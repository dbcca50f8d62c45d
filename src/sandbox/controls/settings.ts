// Controls for what administrators change on the settings pages: custom fields of contacts, users and event types.
import { z } from 'zod';
import { eventTypeChange, eventTypeRequest } from '#schemas/event-type-request.ts';
import { definitionFieldTypes } from '#schemas/custom-field.ts';
import { membershipRoles } from '#schemas/resources/user.ts';
import { omittable, uri } from '#schemas/wire.ts';
import { createField, definitionRecord, deleteField, updateField } from '#src/sandbox/world/contacts/custom-fields.ts';
import { createEventType, deleteEventType, eventTypeRecord, updateEventType } from '#src/sandbox/world/event-types.ts';
import { addUser, removeUser, updateUser } from '#src/sandbox/world/organizations.ts';
import { found, type State } from '#src/sandbox/world/service.ts';
import { organizationOrMain } from './account.ts';
import { control } from './control.ts';

const name = z.string().max(255).regex(/\S/, 'expected a name');
const labels = z.array(name).max(100);
const onlyUri = z.strictObject({ uri });

const demandField = ({ definitions }: State, named: string) => found(definitions.get(named), 'custom field', 'uri');

export const customFieldControls = [
  control('POST', '/custom_fields', {
    summary: 'Adds a custom field of contacts; `options` are labels, for the type single_select',
    body: z.strictObject({
      label: name,
      field_type: omittable(z.enum(definitionFieldTypes)).default('text'),
      options: omittable(labels),
      currency: omittable(z.string().regex(/^[A-Z]{3}$/, 'expected a currency such as EUR')),
      organization: omittable(uri),
    }),
    answers: 'resource',
    run({ service, body: { organization, ...field } }) {
      const { uri: owner } = organizationOrMain(service.state, organization);
      return definitionRecord(createField(service, { ...field, organization: owner }));
    },
  }),
  control('PATCH', '/custom_fields', {
    summary: 'Changes the label, type or options of a custom field, or retires it; without a webhook',
    body: z.strictObject({
      uri,
      label: omittable(name),
      field_type: omittable(z.enum(definitionFieldTypes)),
      add_options: omittable(labels),
      rename_options: omittable(z.record(z.string(), name)),
      retired: omittable(z.boolean()),
    }),
    answers: 'resource',
    run: ({ service, body: { uri: named, ...change } }) =>
      definitionRecord(updateField(service, demandField(service.state, named), change)),
  }),
  control('DELETE', '/custom_fields', {
    summary: 'Deletes a custom field; contacts no longer show it',
    body: onlyUri,
    answers: 'resource',
    run: ({ service, body }) => definitionRecord(deleteField(service, demandField(service.state, body.uri))),
  }),
];

const person = { name: omittable(name), timezone: omittable(z.string().min(1).max(100)) };

export const userControls = [
  control('POST', '/users', {
    summary: 'Adds a user to an organization, without an invitation; answers with the membership',
    body: z.strictObject({
      email: z.email(),
      ...person,
      role: omittable(z.enum(membershipRoles)),
      organization: omittable(uri),
    }),
    answers: 'resource',
    run({ service, body: { organization, ...user } }) {
      const { uri: joined } = organizationOrMain(service.state, organization);
      return addUser(service, { ...user, organization: joined });
    },
  }),
  control('PATCH', '/users', {
    summary: 'Changes the name, address or time zone of a user; without a webhook',
    body: z.strictObject({ uri, email: omittable(z.email()), ...person }),
    answers: 'resource',
    run: ({ service, body: { uri: named, ...change } }) =>
      updateUser(service, found(service.state.users.get(named), 'user', 'uri'), change),
  }),
  control('DELETE', '/users', {
    summary: 'Removes a user from the organization: the membership ends, and the tokens of the user are refused',
    body: onlyUri,
    answers: 'resource',
    run: ({ service, body }) => removeUser(service, body.uri),
  }),
];

const demandEventType = ({ eventTypes }: State, named: string) => found(eventTypes.get(named), 'event type', 'uri');

export const eventTypeControls = [
  control('POST', '/event_types', {
    summary: 'Makes an event type',
    body: eventTypeRequest,
    answers: 'resource',
    run({ service, body }) {
      const demandUser = (named: string, parameter: string) => found(service.state.users.get(named), 'user', parameter);
      const owner = demandUser(body.owner, 'owner');
      const hosts = [...new Set(body.hosts ?? [owner.uri])];
      for (const host of hosts) demandUser(host, 'hosts');
      return eventTypeRecord(createEventType(service, { owner, hosts, request: body }));
    },
  }),
  control('PATCH', '/event_types', {
    summary: 'Changes an event type; `active: false` deactivates it',
    body: eventTypeChange.extend({ uri }),
    answers: 'resource',
    run: ({ service, body: { uri: named, ...change } }) =>
      eventTypeRecord(updateEventType(service, demandEventType(service.state, named), change)),
  }),
  control('DELETE', '/event_types', {
    summary: 'Deletes an event type; its meetings stay',
    body: onlyUri,
    answers: 'resource',
    run({ service, body }) {
      const eventType = demandEventType(service.state, body.uri);
      deleteEventType(service, eventType);
      return eventTypeRecord(eventType);
    },
  }),
];
