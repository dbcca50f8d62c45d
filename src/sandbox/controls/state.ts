// The control that shows every record of an organization as the service would. The answer is streamed in chunks: other requests are
// served between two of them.
import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { contactRecord, definitionsInUse } from '#src/sandbox/world/contacts/contacts.ts';
import { definitionRecord } from '#src/sandbox/world/contacts/custom-fields.ts';
import { eventTypeRecord, organizationOf } from '#src/sandbox/world/event-types.ts';
import { publicLocation } from '#src/sandbox/world/public-records.ts';
import type { Service, State } from '#src/sandbox/world/service.ts';
import { subscriptionRecord } from '#src/sandbox/world/subscriptions.ts';
import { organizationOrMain } from './account.ts';
import { control } from './control.ts';

type Lists = Readonly<Record<string, Iterable<object>>>;

const chunkCharacters = 64 * 1024;

export const stateControls = [
  control('GET', '/state', {
    summary: 'Everything in the organization; ?organization=<uri> for another one, ?organization=all for all together',
    query: z.strictObject({ organization: z.string().optional() }),
    answers: 'object',
    run({ service, query: { organization } }) {
      const { state } = service;
      const shown =
        organization === 'all' ? [...state.organizations.keys()] : [organizationOrMain(state, organization).uri];
      return new Response(ReadableStream.from(chunksOf(listsOf(service, shown))), {
        headers: { 'content-type': 'application/json' },
      });
    },
  }),
];

function listsOf(service: Service, organizations: readonly string[]): Lists {
  const { state, options } = service;
  const isShown = (organization = ''): boolean => organizations.includes(organization);
  const isHosted = (hosts: readonly string[]): boolean => isShown(organizationOf(state, hosts));
  const isOf = ({ organization }: { readonly organization: string }): boolean => isShown(organization);
  return {
    contacts: organizations.values().flatMap((organization) => contactsOf(service, organization)),
    deleted_contacts: state.deletedContacts
      .values()
      .filter(isOf)
      .map(({ uri, deleted_at }) => ({ uri, deleted_at })),
    invitees: state.invitees.values().filter(({ event }) => isHosted(hostsOf(state, event))),
    // With the place as the service shows it now: everything that a mirror keeps can be compared.
    scheduled_events: state.scheduledEvents
      .values()
      .filter(({ uri }) => isHosted(hostsOf(state, uri)))
      .map((meeting) => (options.as === 'public' ? { ...meeting, location: publicLocation(meeting) } : meeting)),
    event_types: state.eventTypes
      .values()
      .filter(({ hosts }) => isHosted(hosts))
      .map(eventTypeRecord),
    custom_field_definitions: state.definitions.values().filter(isOf).map(definitionRecord),
    organization_memberships: state.memberships.values().filter(isOf),
    meeting_recaps: state.recaps.values().filter(isOf),
    routing_form_submissions: state.submissions
      .values()
      .filter(({ routing_form }) => isShown(state.routingForms.get(routing_form)?.organization)),
    webhook_subscriptions: state.subscriptions.values().filter(isOf).map(subscriptionRecord),
    invitations: state.invitations.values().filter(isOf),
  };
}

function* contactsOf(service: Service, organization: string): Generator<object> {
  const definitions = definitionsInUse(service, organization);
  const entries = service.state.contacts.get(organization)?.values() ?? [];
  for (const entry of entries) yield contactRecord(service, entry, { definitions });
}

const hostsOf = ({ scheduledEvents }: State, event: string): readonly string[] =>
  scheduledEvents.get(event)?.event_memberships.map(({ user }) => user) ?? [];

async function* chunksOf(lists: Lists): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  let chunk = '{';
  let before = '';
  for (const [name, records] of Object.entries(lists)) {
    chunk += `${before}${JSON.stringify(name)}:[`;
    before = '';
    for (const record of records) {
      chunk += before + JSON.stringify(record);
      before = ',';
      if (chunk.length < chunkCharacters) continue;
      yield encoder.encode(chunk);
      chunk = '';
      await turn();
    }
    chunk += ']';
    before = ',';
  }
  yield encoder.encode(`${chunk}}`);
}
