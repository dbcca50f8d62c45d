// Booking contexts for tests of alerts, with as few values as a test needs.
import type { BookingContext } from '#src/read/bookings/booking-context.ts';
import { tables, type TableName, type TableRow } from '#src/store/tables.ts';

/** A row with these values and null everywhere else. */
export function rowOf<Name extends TableName>(name: Name, known: Partial<TableRow<Name>>): TableRow<Name> {
  const empty = Object.fromEntries(Object.keys(tables[name].columns).map((column) => [column, null]));
  return { ...empty, ...known } as TableRow<Name>;
}

export interface Booking {
  readonly invitee?: Partial<TableRow<'invitees'>>;
  readonly event?: Partial<TableRow<'scheduled_events'>>;
  readonly known?: Partial<BookingContext>;
}

export const inviteeUri = 'https://api.example.test/scheduled_events/E1/invitees/I1';

/** Ada did not show up for an hour with Grace in Berlin. */
export function bookingContext({ invitee, event, known }: Booking = {}): BookingContext {
  return {
    invitee: rowOf('invitees', {
      uri: inviteeUri,
      name: 'Ada Lovelace',
      email: 'ada@example.test',
      status: 'active',
      rescheduled: false,
      ...invitee,
    }),
    event: rowOf('scheduled_events', {
      uri: 'https://api.example.test/scheduled_events/E1',
      name: 'Introduction',
      start_time: '2026-11-16T14:00:00.000000Z',
      end_time: '2026-11-16T15:00:00.000000Z',
      hosts: [{ user: 'https://api.example.test/users/U1', user_name: 'Grace Hopper' }],
      ...event,
    }),
    eventTypeName: 'Introduction',
    hostTimezone: 'Europe/Berlin',
    contact: undefined,
    marks: [
      {
        inviteeUri,
        noShowUri: 'https://api.example.test/invitee_no_shows/N1',
        markedAt: '2026-11-16T15:10:00.000000Z',
      },
    ],
    ...known,
  };
}

/** Hostile values that an invitee may send, by what they attempt. */
export const hostileTexts: Readonly<Record<string, string>> = {
  'Slack markup': '<!channel> <@U012AB3CD> <https://evil.example.test|click> *b* `c` &amp;',
  'mentions of everyone': '@here @channel @everyone @all',
  'Markdown links': '[click](https://evil.example.test) ![](https://evil.example.test/p.png)',
  'header lines': 'Ada\r\nBcc: eve@evil.example.test\r\nContent-Type: text/html\r\n\r\n<b>hello</b>',
  'header lines by bare characters':
    'Ada\nBcc: eve@evil.example.test\rBcc: eve@evil.example.test\u0085Bcc: x\u2028Bcc: x',
  'encoded header words': '=?utf-8?Q?=0D=0ABcc:_eve@evil.example.test?= =?utf-8?B?PGI+?=',
  'the end of a mail': 'Ada\r\n.\r\nMAIL FROM:<eve@evil.example.test>\r\n',
  HTML: '<img src=x onerror=alert(1)></bdi></td><script>alert(1)</script>"\'><a href="javascript:alert(1)">x</a>',
  'a turned line': 'Ada \u202egnp.exe\u2066 \u200f\u061c\u200e',
  'control characters': 'A\u0000d\u001b[2Ja\u0007\u009b31m',
  'half a character': 'Ada \ud800 \udc00',
  'a megabyte': 'A'.repeat(1_000_000),
  'a megabyte without spaces to break at': '👩‍👩‍👧'.repeat(100_000),
  'a pile of marks': `Z${'\u0337'.repeat(200_000)}`,
  Liquid: '{{ email }}{% for i in (1..9) %}x{% endfor %}',
};
