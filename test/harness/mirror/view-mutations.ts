// Small mistakes planted in the texts of views, each of which the test of agreement has to notice.
import { join } from 'node:path';
import { installationFolder } from '#src/base/command.ts';
import type { Store } from '#src/store/contract.ts';
import { installViews } from '#src/store/views/refresh-views.ts';
import { readViews, type View } from '#src/store/views/view.ts';
import { viewsFor } from '#src/store/views/views.ts';

export interface ViewMutation {
  readonly view: string;
  readonly mistake: string;
  /** In the text of each engine. */
  readonly from: RegExp;
  readonly to: string;
}

export const viewMutations: readonly ViewMutation[] = [
  {
    view: 'bookings',
    mistake: 'notice is a second longer',
    from: / as cancel_notice_seconds/,
    to: ' + 1 as cancel_notice_seconds',
  },
  {
    view: 'bookings',
    mistake: 'a cancellation is late until a second earlier',
    from: /< 86400/,
    to: '<= 86400',
  },
  {
    view: 'bookings',
    mistake: 'a meeting ends at its start',
    from: /coalesce\(meeting\.end_time, meeting\.start_time\)/g,
    to: 'meeting.start_time',
  },
  {
    view: 'bookings',
    mistake: 'the first link is the last',
    from: /last\.uri as last_invitee,/,
    to: 'case when chain.invitee_uri is null then last.uri else first.uri end as last_invitee,',
  },
  {
    view: 'bookings',
    mistake: 'one move is ignored',
    from: /then chain\.moves when/,
    to: 'then nullif(chain.moves, 2) when',
  },
  {
    view: 'bookings',
    mistake: 'a mark is no attendance',
    from: /when last\.no_show_at is not null then 'no_show'/g,
    to: "when 1 = 0 then 'no_show'",
  },
  {
    view: 'booking_moments',
    mistake: 'one link of a chain is ignored',
    from: /booked\.position \+ 1/,
    to: 'nullif(booked.position + 1, 2)',
  },
  {
    view: 'booking_moments',
    mistake: 'every link is booked',
    from: /booked\.is_first is not false and/,
    to: '',
  },
  {
    view: 'booking_moments',
    mistake: 'a move is when the next invitee was created',
    from: /coalesce\(booked\.canceled_at, next\.created_at/,
    to: 'coalesce(next.created_at, booked.canceled_at',
  },
  {
    view: 'booking_moments',
    mistake: 'a removed mark is none',
    from: /no_shows\.unmarked_at is not null/,
    to: '1 = 0',
  },
  {
    view: 'booking_moments',
    mistake: 'a booking that nothing is known of came',
    from: /\('came', 'came'\)/,
    to: "('came', 'came'), ('unknown', 'came')",
  },
  {
    view: 'booking_moments',
    mistake: 'a move is a cancellation',
    from: /\('canceled', 'canceled'\)/,
    to: "('canceled', 'canceled'), ('moved', 'canceled')",
  },
  {
    view: 'bookings_daily',
    mistake: 'one link of a chain is ignored',
    from: /seen\.invitees > 1/,
    to: 'seen.invitees > 2',
  },
  {
    view: 'bookings_daily',
    mistake: 'moved counts as canceled',
    from: /case what when 'moved' then 1 end/,
    to: "case what when '' then 1 end",
  },
  {
    view: 'bookings_daily',
    mistake: 'days are those of UTC',
    from: /select (?<list>array_agg\()?offset_seconds/,
    to: 'select $<list>0 * offset_seconds',
  },
  {
    view: 'bookings_daily',
    mistake: 'a meeting counts on the day of its end',
    from: /else start_time end/,
    to: 'else ended_at end',
  },
  {
    view: 'no_show_rate',
    mistake: 'what is unknown came',
    from: /outcome = 'unknown'/g,
    to: "outcome = 'upcoming'",
  },
  {
    view: 'no_show_rate',
    mistake: 'only the first host counts',
    from: /(?<list>hosts -> |hosts, '\$\[)1/,
    to: '$<list>9',
  },
  {
    view: 'no_show_rate',
    mistake: 'the hour of the host is that of reports or of UTC',
    from: /(?<hour>start_hour)_host(?= as)|(?<start>\(start) \+ host_offset/g,
    to: '$<hour>$<start>',
  },
  {
    view: 'no_show_rate',
    mistake: 'upcoming meetings count',
    from: /where ended_at is not null/,
    to: 'where start_time is not null',
  },
  {
    view: 'bookings',
    mistake: 'the day of the start is that of UTC',
    from: /select (array_agg\()?offset_seconds/g,
    to: 'select $1offset_seconds * 0',
  },
  { view: 'payments', mistake: 'a payment counts with each link', from: /carried\.place = 1 and/, to: '' },
  {
    view: 'payments',
    mistake: 'a payment counts with its first link',
    from: /invitees\.created_at desc/,
    to: 'invitees.created_at',
  },
  {
    view: 'payments',
    mistake: 'providers share identifiers',
    from: /partition by\s+coalesce\(invitees\.payment_provider, ''\),/,
    to: 'partition by',
  },
  {
    view: 'payments',
    mistake: 'a failed payment counts',
    from: /where invitees\.payment_successful is true/,
    to: 'where invitees.payment_provider is not null',
  },
  { view: 'revenue', mistake: 'payments are not added up', from: /sum\(amount/, to: 'max(amount' },
  {
    view: 'routing_form_results',
    mistake: 'a missed meeting is none',
    from: /when 'no_show' then 3/,
    to: "when 'missed' then 3",
  },
  {
    view: 'routing_form_results',
    mistake: 'the chain of a booking is ignored',
    from: /coalesce\(link\.invitee_uri, referring\.uri\)/g,
    to: 'referring.uri',
  },
  {
    view: 'routing_form_results',
    mistake: 'some bookings canceled are all',
    from: /case min\(case/,
    to: 'case max(case',
  },
  {
    view: 'routing_form_results',
    mistake: 'a booked form is not booked',
    from: /and not exists \(select 1 from invitees where [^)]*\)/,
    to: '',
  },
  {
    view: 'routing_form_results',
    mistake: 'any result leads to a booking page',
    from: /submissions\.result_type = 'event_type'/,
    to: 'submissions.result_type is not null',
  },
  {
    view: 'routing_funnel',
    mistake: 'a missed meeting did not end',
    from: /'came', 'no_show', 'unknown'/,
    to: "'came', 'unknown'",
  },
  {
    view: 'unbooked_submissions',
    mistake: 'an earlier booking counts',
    from: /invitees\.created_at >= addressed\.created_at/,
    to: 'invitees.created_at < addressed.created_at',
  },
  { view: 'people', mistake: 'a deleted contact is a person', from: /\b(?:\w+\.)?deleted_at is null/g, to: '1 = 1' },
  {
    view: 'people',
    mistake: 'who is not known to have come came',
    from: /(outcome|'\$\[2\]') = 'came'/g,
    to: "$1 in ('came', 'unknown')",
  },
  {
    view: 'people',
    mistake: 'upcoming meetings are missed',
    from: /(outcome|'\$\[2\]') = 'no_show'/g,
    to: "$1 = 'upcoming'",
  },
];

const views = readViews(join(installationFolder, 'src/store/views'));

/** Installs the views with this mistake in one of them, and puts them back afterwards. */
export async function withMistake<Value>(
  store: Store,
  { view: name, from, to }: ViewMutation,
  work: () => Promise<Value>,
): Promise<Value> {
  const mistaken = (view: View): View => ({
    ...view,
    select(engine) {
      const text = view.select(engine);
      const changed = text.replace(from, to);
      if (changed === text) throw new Error(`The text of ${name} for ${engine} has no longer what is changed: ${from}`);
      return changed;
    },
  });
  const changed = views.map((view) => (view.name === name ? mistaken(view) : view));
  const install = async (all: readonly View[]): Promise<void> => {
    const problems = await installViews(store, (columns) => viewsFor(columns, all));
    if (problems.length > 0) throw new Error(problems.map((problem) => String(problem.cause ?? problem)).join('\n'));
  };
  await install(changed);
  try {
    return await work();
  } finally {
    await install(views);
  }
}
