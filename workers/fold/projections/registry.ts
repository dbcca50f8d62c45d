// Every kind's projection and every mirrored table's fields: complete by construction, or it does not project.
import type { FactKind } from '#schemas/records.ts';
import { contactFields, contactProjections, customFieldDefinitionFields } from './contact.ts';
import type { Fact, ProjectionInput, Fields, MirrorTable, Projection } from './contract.ts';
import { eventTypeFields, eventTypeProjections } from './event-type.ts';
import { inviteeFields, inviteeProjections, scheduledEventFields } from './invitee.ts';
import { meetingRecapFields, meetingRecapProjections } from './meeting-recap.ts';
import { routingFormFields, routingFormProjections, routingFormSubmissionFields } from './routing-form.ts';
import { organizationMembershipFields, userFields, userProjections } from './user.ts';

const projections: { [Kind in FactKind]: Projection<Kind> } = {
  ...contactProjections,
  ...inviteeProjections,
  ...eventTypeProjections,
  ...meetingRecapProjections,
  ...routingFormProjections,
  ...userProjections,
};

export const fieldsOf: Readonly<Record<MirrorTable, Fields>> = {
  contacts: contactFields,
  custom_field_definitions: customFieldDefinitionFields,
  event_types: eventTypeFields,
  invitees: inviteeFields,
  meeting_recaps: meetingRecapFields,
  organization_memberships: organizationMembershipFields,
  routing_form_submissions: routingFormSubmissionFields,
  routing_forms: routingFormFields,
  scheduled_events: scheduledEventFields,
  users: userFields,
};

export function project<Kind extends FactKind>(input: ProjectionInput<Kind>): Fact {
  return projections[input.event](input);
}
