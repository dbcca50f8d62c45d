// What the service erases of invitees on request: names, answers, numbers and what they typed; an address becomes one that leads
// nowhere. Meetings, times and counts stay. The service takes up to seven days, the sandbox does it at once, and no webhook of an
// invitee is sent; a contact that changes is announced as ever.
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import { randomOf } from '#src/sandbox/random.ts';
import { addressKey, contactWith, isSameAddress } from './contacts/contact-entry.ts';
import { contactsOf, updateContact } from './contacts/contacts.ts';
import { organizationOf } from './event-types.ts';
import type { Service } from './service.ts';

/** The same address always becomes the same one. */
const anonymousAddress = (email: string): string =>
  `${randomOf('deleted', addressKey(email)).uuid().replaceAll('-', '').slice(0, 14)}@deleted.example.test`;

/** Everything that an organization knows of the person with this address. */
export function eraseAddress(service: Service, organization: string, email: string): void {
  const { state } = service;
  for (const invitee of state.invitees.of('email', addressKey(email))) {
    const meeting = state.scheduledEvents.get(invitee.event);
    if (meeting === undefined || !isOf(service, organization, meeting)) continue;
    eraseInvitee(service, invitee);
  }
  for (const meeting of state.scheduledEvents.values()) {
    const event_guests = meeting.event_guests.filter((guest) => !isSameAddress(guest.email, email));
    if (event_guests.length < meeting.event_guests.length && isOf(service, organization, meeting))
      state.scheduledEvents.put({ ...meeting, event_guests });
  }
  const contact = contactWith(contactsOf(service, organization), email);
  if (contact === undefined) return;
  const emails = contact.emails.map((one) => ({ ...one, email: anonymousAddress(one.email) }));
  const unknown = {
    name: null,
    job_title: null,
    company: null,
    linkedin: null,
    city: null,
    state: null,
    country: null,
  };
  updateContact(service, contact, { ...unknown, emails, phone_numbers: [], values: new Map() });
}

/** The invitees and guests of all meetings that began in this time. */
export function eraseMeetings(service: Service, organization: string, span: { from: string; to: string }): void {
  const { state } = service;
  const meetings = [...state.scheduledEvents.values()].filter(
    (meeting) =>
      meeting.start_time >= span.from && meeting.start_time <= span.to && isOf(service, organization, meeting),
  );
  for (const meeting of meetings) {
    state.scheduledEvents.put({ ...meeting, event_guests: [] });
    for (const invitee of state.invitees.of('event', meeting.uri)) eraseInvitee(service, invitee);
  }
}

const isOf = ({ state }: Service, organization: string, { event_memberships }: ScheduledEventResource): boolean =>
  organizationOf(
    state,
    event_memberships.map(({ user }) => user),
  ) === organization;

/** What an invitee may have typed as the location. */
const typed = ['ask_invitee', 'outbound_call'];

function eraseInvitee({ state, clock }: Service, invitee: InviteeResource): void {
  const updated_at = clock.tick();
  state.invitees.put({
    ...invitee,
    email: anonymousAddress(invitee.email),
    name: '',
    first_name: null,
    last_name: null,
    text_reminder_number: null,
    questions_and_answers: [],
    updated_at,
  });
  const meeting = state.scheduledEvents.get(invitee.event);
  if (meeting === undefined || !typed.includes(meeting.location.type)) return;
  state.scheduledEvents.put({ ...meeting, location: { ...meeting.location, location: null }, updated_at });
}
