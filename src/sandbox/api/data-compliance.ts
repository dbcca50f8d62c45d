// Deleting what is known of invitees, for enterprise accounts of the public service.
import { z } from 'zod';
import { eventDeletionMonths, eventDeletionRequest, inviteeDeletionRequest } from '#schemas/data-compliance.ts';
import { denied, invalid } from '#src/http/http-error.ts';
import { instantOf } from '#src/sandbox/clock.ts';
import { eraseAddress, eraseMeetings } from '#src/sandbox/world/data-deletion.ts';
import { demandEnterprise, isAdministrator, noAccess, type CallContext } from './permissions.ts';
import { define } from './service-operation.ts';

const deletion = {
  method: 'POST',
  scopes: ['data_compliance:write'],
  permits: demandDataRequests,
  answers: 'object',
  status: 202,
  schema: z.strictObject({}),
} as const;

export const dataComplianceOperations = [
  define({
    ...deletion,
    id: 'deleteInviteeData',
    path: '/data_compliance/deletion/invitees',
    summary: 'Deletes what is known of the people with these addresses',
    body: inviteeDeletionRequest,
    run({ service, caller, body }) {
      for (const email of body.emails) eraseAddress(service, caller.organization.uri, email);
      return {};
    },
  }),
  define({
    ...deletion,
    id: 'deleteScheduledEventData',
    path: '/data_compliance/deletion/events',
    summary: 'Deletes what is known of everyone in the meetings of a time in the past, of at most 24 months',
    body: eventDeletionRequest,
    run({ service, caller, body: { start_time: from, end_time: to } }) {
      if (to <= from) throw invalid({ message: 'expected a time after start_time', parameter: 'end_time' });
      if (to > instantOf(service.clock.nowMs()))
        throw invalid({ message: 'expected a time in the past', parameter: 'end_time' });
      const latest = new Date(from);
      latest.setUTCMonth(latest.getUTCMonth() + eventDeletionMonths);
      if (Date.parse(to) > latest.getTime())
        throw invalid({
          message: `expected at most ${eventDeletionMonths} months after start_time`,
          parameter: 'end_time',
        });
      eraseMeetings(service, caller.organization.uri, { from, to });
      return {};
    },
  }),
];

function demandDataRequests(call: CallContext): void {
  demandEnterprise(call);
  if (!isAdministrator(call.caller)) throw denied(noAccess);
}
