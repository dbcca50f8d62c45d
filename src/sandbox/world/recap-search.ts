// Which recaps a search finds: every filter given must be met.
import type { MeetingRecapResource } from '#schemas/resources/meeting-recap.ts';
import { isSameAddress } from './address.ts';

export interface RecapSearch {
  readonly event?: string | undefined;
  readonly user?: string | undefined;
  readonly organization?: string | undefined;
  /** An e-mail address, whatever its case. */
  readonly attendee?: string | undefined;
  /** Both ends belong to the span. */
  readonly min_start_time?: string | undefined;
  readonly max_start_time?: string | undefined;
}

export function matchesRecap(recap: MeetingRecapResource, search: RecapSearch): boolean {
  const { event, user, organization, attendee, min_start_time, max_start_time } = search;
  const { uri, start_time, attendees } = recap.event;
  return (
    (event === undefined || uri === event) &&
    (user === undefined || recap.user === user) &&
    (organization === undefined || recap.organization === organization) &&
    (min_start_time === undefined || start_time >= min_start_time) &&
    (max_start_time === undefined || start_time <= max_start_time) &&
    (attendee === undefined || attendees.some(({ user_email }) => isSameAddress(user_email, attendee)))
  );
}
