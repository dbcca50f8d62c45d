// The table that holds the records of each kind.
import type { RecordKind } from '#schemas/records.ts';
import type { MirrorTable } from '#workers/projections/contract.ts';

export const tableOf = {
  contact: 'contacts',
  custom_field_definition: 'custom_field_definitions',
  event_type: 'event_types',
  invitee: 'invitees',
  meeting_recap: 'meeting_recaps',
  organization_membership: 'organization_memberships',
  routing_form: 'routing_forms',
  routing_form_submission: 'routing_form_submissions',
  scheduled_event: 'scheduled_events',
  user: 'users',
} as const satisfies Readonly<Record<RecordKind, MirrorTable>>;
