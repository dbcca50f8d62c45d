// Every kind's projection and every mirrored table's fields: complete by construction, or it does not compile.
import type { EventKind } from '#schemas/events.ts';
import { contactFields, contactProjections } from './contact.ts';
import type { Compiled, Fact, Fields, MirrorTable, Projection } from './contract.ts';
import { eventTypeFields, eventTypeProjections } from './event-type.ts';
import { inviteeFields, inviteeProjections, scheduledEventFields } from './invitee.ts';
import { meetingRecapFields, meetingRecapProjections } from './meeting-recap.ts';
import { routingFormProjections, routingFormSubmissionFields } from './routing-form.ts';

const projections: { [Kind in EventKind]: Projection<Kind> } = {
  ...contactProjections,
  ...inviteeProjections,
  ...eventTypeProjections,
  ...meetingRecapProjections,
  ...routingFormProjections,
};

export const fieldsOf: Readonly<Record<MirrorTable, Fields>> = {
  contacts: contactFields,
  event_types: eventTypeFields,
  invitees: inviteeFields,
  meeting_recaps: meetingRecapFields,
  routing_form_submissions: routingFormSubmissionFields,
  scheduled_events: scheduledEventFields,
};

export function compile<Kind extends EventKind>(fact: Fact<Kind>): Compiled {
  return projections[fact.event](fact);
}
