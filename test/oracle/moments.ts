// What happened to journeys, computed the plain way from the rows of the tables.
import type { Json } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { Contents } from '../harness/stores.ts';
import { byUri, orNull, textIn, type Journey } from './journeys.ts';

interface About {
  readonly by?: Json | undefined;
  readonly entry?: Json | undefined;
  readonly mark?: Json | undefined;
  readonly next_invitee?: Json | undefined;
}

export function momentsOf(contents: Contents, journeys: readonly Journey[]): StoredRow[] {
  const { scheduled_events, no_shows = [], meeting_recaps } = contents;
  const events = byUri(scheduled_events);
  const recaps = byUri(meeting_recaps);
  return journeys.flatMap((journey) => {
    const { root, members, first, last, outcome, canceler, canceledAt, ended_at } = journey;
    const tell = (invitee: StoredRow, moment: string, at: Json | undefined, about: About = {}): StoredRow[] => {
      const { by = null, entry = null, mark = '', next_invitee = null } = about;
      return at == null
        ? []
        : [{ booking: root, invitee: orNull(invitee['uri']), moment, at, by, entry, mark, next_invitee }];
    };
    const left = members.flatMap((invitee, index) => {
      const next = members[index + 1];
      if (next === undefined && outcome !== 'moved') return [];
      const meeting = events.get(String(invitee['event_uri']));
      const by = invitee['canceler_type'] ?? textIn(meeting?.['cancellation'], 'canceler_type');
      const at = invitee['canceled_at'] ?? next?.['created_at'] ?? meeting?.['canceled_at'];
      return tell(invitee, 'moved', at, { by, next_invitee: next?.['uri'] });
    });
    const marked = members.flatMap((invitee) =>
      no_shows
        .filter((mark) => mark['invitee_uri'] === invitee['uri'])
        .flatMap(({ marked_at, unmarked_at, no_show_uri: mark }) => [
          ...tell(invitee, 'no_show', marked_at, { mark }),
          ...tell(invitee, 'no_show_removed', unmarked_at, { mark }),
        ]),
    );
    const entry = last['attendance_entry'];
    const recap = recaps.get(String(journey.attendance_basis));
    const came =
      entry == null
        ? tell(last, 'came', recap?.['created_at'] ?? recap?.['as_of'])
        : tell(last, 'came', last['attendance_confirmed_at'], { by: last['attendance_confirmed_by'], entry });
    return [
      ...tell(first, 'booked', first['created_at']),
      ...left,
      ...marked,
      ...members.flatMap((invitee) => tell(invitee, 'reconfirmed', invitee['reconfirmed_at'], { by: 'invitee' })),
      ...(outcome?.includes('cancel') ? tell(last, 'canceled', canceledAt, { by: canceler }) : []),
      ...(outcome === 'came' ? came : []),
      ...tell(last, 'ended', ended_at),
    ];
  });
}
