// The outcomes of bookings and who came in words, and the hosts and event types as filters.
import { counted } from '#src/base/number-text.ts';
import type { Field } from '#src/addons/dashboard/components/form.ts';
import { badge, type Markup, type State } from '#src/addons/dashboard/components/markup.ts';
import type { PageCall } from '#src/addons/dashboard/page.ts';
import { readBookingFilters } from '#src/read/bookings/hosts.ts';

/** In the order of a menu. */
export const outcomeTexts = {
  upcoming: 'upcoming',
  came: 'came',
  unknown: 'ended',
  no_show: 'no-show',
  canceled_by_invitee: 'canceled by the invitee',
  late_cancellation: 'canceled late by the invitee',
  canceled_by_host: 'canceled by the host',
  canceled: 'canceled',
  moved: 'moved to an unknown booking',
} as const;

const states: Readonly<Record<string, State>> = { came: 'ok', no_show: 'problem', late_cancellation: 'attention' };

export const bookingBadge = (outcome: keyof typeof outcomeTexts | null): Markup =>
  outcome === null ? badge('time unknown') : badge(outcomeTexts[outcome], states[outcome]);

/** In the order of a menu. */
export const attendanceTexts = {
  confirmed: 'confirmed',
  likely: 'likely',
  suspected_no_show: 'suspected no-show',
  unconfirmed: 'attendance unknown',
  no_show: 'no-show',
} as const;

const attendanceStates: Readonly<Record<string, State>> = {
  confirmed: 'ok',
  likely: 'ok',
  suspected_no_show: 'attention',
  no_show: 'problem',
};

export const attendanceBadge = (attendance: keyof typeof attendanceTexts): Markup =>
  badge(attendanceTexts[attendance], attendanceStates[attendance]);

export const timesText = (count: number): string =>
  count === 1 ? 'once' : count === 2 ? 'twice' : counted(count, 'time');

export const startEnds = { min_start_time: 'first', max_start_time: 'last' } as const;

export async function meetingFilters({ read }: Pick<PageCall, 'read'>): Promise<readonly Field[]> {
  const { hosts, eventTypes: types } = await read(readBookingFilters);
  const menu = (choices: typeof hosts) => Object.fromEntries(choices.map(({ uri, name }) => [uri, name]));
  return [
    { name: 'host', label: 'Host', options: menu(hosts) },
    { name: 'event_type', label: 'Event type', options: menu(types) },
    { name: 'min_start_time', label: 'Starts from', type: 'date' },
    { name: 'max_start_time', label: 'Starts until', type: 'date' },
  ];
}
