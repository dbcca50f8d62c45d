// Marking an invitee who did not come, and taking the mark away. Neither moves the invitee's `updated_at` (A4f).
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import { invalid } from '#src/http/http-error.ts';
import { tellOfInvitee } from './booking-facts.ts';
import { newUri } from './service.ts';
import type { Service } from './service.ts';

export function markNoShow(service: Service, invitee: InviteeResource): InviteeResource {
  if (invitee.status === 'canceled')
    throw invalid({ message: 'canceled: nobody waited for this invitee', parameter: 'invitee' });
  if (invitee.no_show !== null) throw invalid({ message: 'marked as a no-show already', parameter: 'invitee' });
  const no_show = { uri: newUri(service, 'invitee_no_shows'), created_at: service.clock.tick() };
  return keep(service, 'invitee_no_show.created', { ...invitee, no_show });
}

export function unmarkNoShow(service: Service, invitee: InviteeResource): InviteeResource {
  if (invitee.no_show === null) throw invalid({ message: 'not marked as a no-show', parameter: 'invitee' });
  return keep(service, 'invitee_no_show.deleted', { ...invitee, no_show: null });
}

function keep(
  service: Service,
  event: 'invitee_no_show.created' | 'invitee_no_show.deleted',
  invitee: InviteeResource,
): InviteeResource {
  service.state.invitees.put(invitee);
  tellOfInvitee(service, event, invitee);
  return invitee;
}
