// Links with which an event type can be booked once: made, booked through, and ended by their age.
import { schedulingLinkDays } from '#schemas/scheduling-link.ts';
import type { SchedulingLinkResource } from '#schemas/resources/scheduling-link.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import { invalid } from '#src/http/http-error.ts';
import { dayMs } from '#src/sandbox/clock.ts';
import { found, type Service, type StoredEventType } from './service.ts';
import { bookPerson, type Booker } from './visitors.ts';

export function createSchedulingLink(service: Service, { uri, slug }: StoredEventType): SchedulingLinkResource {
  const { state, clock, options, random } = service;
  const [id = ''] = random.uuid().split('-');
  const url = `${options.baseUrl}/d/${id.slice(0, 4)}-${id.slice(4)}/${slug ?? ''}`;
  const endsMs = clock.nowMs() + schedulingLinkDays * dayMs;
  state.schedulingLinks.set(url, { url, eventType: uri, endsMs, usedBy: null });
  return { booking_url: url, owner: uri, owner_type: 'EventType' };
}

/** What an invitee does on the page of the link. */
export function bookThroughLink(service: Service, url: string, booker: Booker): InviteeResource {
  const { state, clock } = service;
  const parameter = 'booking_url';
  const link = found(state.schedulingLinks.get(url), 'scheduling link', parameter);
  if (link.usedBy !== null) throw invalid({ message: 'the link was used before', parameter });
  if (link.endsMs <= clock.nowMs()) throw invalid({ message: 'the link has expired', parameter });
  const eventType = found(state.eventTypes.get(link.eventType), 'event type', parameter);
  if (!eventType.active) throw invalid({ message: 'the event type is not active', parameter });
  const invitee = bookPerson(service, eventType, booker);
  state.schedulingLinks.set(url, { ...link, usedBy: invitee.uri });
  return invitee;
}
