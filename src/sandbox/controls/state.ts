// The whole truth: every record of every organization as the service would show it, written piece by piece, because an address
// book of a million does not fit into one string.
import { contactRecord } from '../world/contacts.ts';
import { eventTypeRecord } from '../world/event-types.ts';
import type { Service } from '../world/service.ts';
import { subscriptionRecord } from '../world/subscriptions.ts';
import { defineControl } from './control.ts';

type Lists = Readonly<Record<string, Iterable<object>>>;

const pieceCharacters = 64 * 1024;

export const stateControls = [
  defineControl({
    method: 'GET',
    path: '/state',
    summary: 'Everything there is, in all organizations together',
    run: ({ service }) =>
      new Response(ReadableStream.from(pieces(listsOf(service))), { headers: { 'content-type': 'application/json' } }),
  }),
] as const;

function listsOf(service: Service): Lists {
  const { state } = service;
  return {
    contacts: contacts(service),
    deleted_contacts: state.deletedContacts.values(),
    invitees: state.invitees.values(),
    scheduled_events: state.scheduledEvents.values(),
    event_types: state.eventTypes.values().map(eventTypeRecord),
    meeting_recaps: state.recaps.values(),
    routing_form_submissions: state.submissions.values(),
    webhook_subscriptions: state.subscriptions.values().map(subscriptionRecord),
    invitations: state.invitations.values(),
  };
}

function* contacts(service: Service): Iterable<object> {
  for (const book of service.state.contactBooks.values())
    for (const entry of book.entries()) yield contactRecord(service, entry);
}

function* pieces(lists: Lists): Iterable<Uint8Array> {
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
    }
    piece += ']';
    before = ',';
  }
  yield encoder.encode(`${piece}}`);
}
