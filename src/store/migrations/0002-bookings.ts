// One row per booking with all its reschedules, and what a process knows of its machine. It never changes once it is released: a later version adds a migration.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { indexStatement, linesOf, tableStatement } from './0001-first-release.ts';
import type { StorageTypes } from './storage-types.ts';

const tables = `
bookings (journey_uri) journey_uri:text! first_invitee:text! last_invitee:text! invitees:integer! moves:integer!
  event_uri:text event_type:text event_name:text first_event_type:text first_event_name:text hosts:json host:text
  host_name:text invitee_email:text invitee_name:text invitee_timezone:text utm_source:text utm_medium:text
  utm_campaign:text utm_content:text utm_term:text booked_at:time first_start_time:time start_time:time end_time:time
  canceled_at:time canceler_type:text cancel_reason:text ending:text no_show_at:time no_show_uri:text
  scheduling_method:text routing_form_submission:text location_kind:text payment_provider:text payment_external_id:text
  payment_amount:number payment_currency:text payment_successful:flag evidence:text! evidence_recap:text
  changed_seq:integer!
booking_invitees (invitee_uri) invitee_uri:text! journey_uri:text! position:integer!
`;

const indexes = `
bookings_booked_at on bookings (booked_at, first_invitee collate "C")
bookings_start_time on bookings (start_time)
bookings_last_invitee on bookings using hash (last_invitee)
bookings_evidence_recap on bookings using hash (evidence_recap) where evidence_recap is not null
booking_invitees_journey_uri on booking_invitees using hash (journey_uri)
`;

export function bookings(types: StorageTypes): Migration {
  const statements = [
    ...linesOf(tables).map((table) => tableStatement(types, table)),
    ...linesOf(indexes).map((index) => indexStatement(types, index)),
    ...(types.engine === 'postgres' ? ['alter table bookings set (fillfactor = 85)'] : []),
    `alter table processes add column machine ${types.text}`,
  ];
  return {
    async up(db: Kysely<unknown>) {
      for (const statement of statements) await sql.raw(statement).execute(db);
    },
  };
}
