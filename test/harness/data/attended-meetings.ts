// The raw deliveries of one meeting of a host: booked, marked as a no-show, and recaps of it.
const base = 'https://api.scheduling.test';

export const hostUri = (name: string): string => `${base}/users/${name}`;

/** The meeting takes half an hour until `end`. */
export function hostedMeeting({ name, hosts, end }: { name: string; hosts: readonly string[]; end: string }) {
  const at = (minutes: number) => new Date(Date.parse(end) + minutes * 60_000).toISOString();
  const id = name.toLowerCase();
  const email = `${id}@example.test`;
  const meeting = {
    uri: `${base}/scheduled_events/${id}`,
    name: 'Demo',
    status: 'active',
    start_time: at(-30),
    end_time: at(0),
    event_memberships: hosts.map((host) => ({
      user: hostUri(host),
      user_name: host,
      user_email: `${host.toLowerCase()}@hosts.test`,
    })),
    updated_at: at(-3_000),
  };
  const invitee = `${meeting.uri}/invitees/${id}`;
  const delivery = (event: string, minutes: number, payload: object) =>
    JSON.stringify({ event, created_at: at(minutes), payload });
  const booking = (event: string, minutes: number, no_show: object | null) =>
    delivery(event, minutes, {
      uri: invitee,
      email,
      name,
      status: 'active',
      created_at: at(-3_000),
      updated_at: at(minutes),
      event: meeting.uri,
      scheduled_event: meeting,
      no_show,
    });
  const attendees = [{ host: true, user_email: 'host@hosts.test', user_name: 'Host' }];
  const recap = (event: string, minutes: number, present: readonly object[]) =>
    delivery(event, minutes, {
      uri: `${base}/meeting_recaps/${id}`,
      created_at: at(10),
      event: { uri: meeting.uri, attendees: present },
    });
  return {
    invitee,
    booked: booking('invitee.created', -3_000, null),
    marked: booking('invitee_no_show.created', 30, { uri: `${base}/invitee_no_shows/${id}`, created_at: at(30) }),
    unmarked: booking('invitee_no_show.deleted', 40, null),
    /** With the host alone. */
    recapOfHost: recap('meeting_recap.created', 10, attendees),
    /** An update of it, which lists the invitee. */
    recapOfBoth: recap('meeting_recap.updated', 20, [
      ...attendees,
      { host: false, user_email: email, user_name: name },
    ]),
  };
}
