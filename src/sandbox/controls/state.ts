// The whole truth: every record of an organization as the service would show it, written piece by piece, because an address
// book of a million does not fit into one string, and others are served between two pieces.
import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { contactRecord, definitionsInUse } from '#src/sandbox/world/contacts/contacts.ts';
import { eventTypeRecord, organizationOf } from '#src/sandbox/world/event-types.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { State } from '#src/sandbox/world/state.ts';
import { subscriptionRecord } from '#src/sandbox/world/subscriptions.ts';
import { demandOrganization } from './chosen-organization.ts';
import { defineControl } from './control.ts';

type Lists = Readonly<Record<string, Iterable<object>>>;

const pieceCharacters = 64 * 1024;

export const stateControls = [
  defineControl({
    method: 'GET',
    path: '/state',
    summary:
      'Everything there is in the organization; ?organization=<uri> of another, ?organization=all of all together',
    body: z.strictObject({ organization: z.string().optional() }),
    run({ service }, { organization: asked }) {
      const { organizations } = service.state;
      const shown = asked === 'all' ? [...organizations.keys()] : [demandOrganization(service.state, asked).uri];
      return new Response(ReadableStream.from(pieces(listsOf(service, shown))), {
        headers: { 'content-type': 'application/json' },
      });
    },
  }),
] as const;

function listsOf(service: Service, organizations: readonly string[]): Lists {
  const { state } = service;
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
    scheduled_events: state.scheduledEvents.values().filter(({ uri }) => isHosted(hostsOf(state, uri))),
    event_types: state.eventTypes
      .values()
      .filter(({ hosts }) => isHosted(hosts))
      .map(eventTypeRecord),
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
  const entries = service.state.contacts.get(organization)?.entries() ?? [];
  for (const entry of entries) yield contactRecord(service, entry, { definitions });
}

const hostsOf = ({ scheduledEvents }: State, event: string): readonly string[] =>
  scheduledEvents.get(event)?.event_memberships.map(({ user }) => user) ?? [];

async function* pieces(lists: Lists): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  let piece = '{';
  let before = '';
  for (const [name, records] of Object.entries(lists)) {
    piece += `${before}${JSON.stringify(name)}:[`;
    before = '';
    for (const record of records) {
      piece += before + JSON.stringify(record);
      before = ',';
      if (piece.length < pieceCharacters) continue;
      yield encoder.encode(piece);
      piece = '';
      await turn();
    }
    piece += ']';
    before = ',';
  }
  yield encoder.encode(`${piece}}`);
}
