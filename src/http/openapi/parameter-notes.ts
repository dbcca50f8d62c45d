// What the parameters mean that many lists share.
import { contactFilters } from '#schemas/contact-request.ts';

export interface ParameterNotes {
  readonly description?: string;
  readonly 'x-assumption'?: string;
}

const matching = {
  exact: 'Exact match; comma-separated list.',
  partial: 'Partial match; comma-separated, each segment matched independently.',
} as const;

export const contactNotes: Readonly<Record<string, ParameterNotes>> = {
  ...Object.fromEntries(
    Object.entries(contactFilters).map(([name, kind]) => [
      name,
      { description: matching[kind], 'x-assumption': 'A17' },
    ]),
  ),
  sort: {
    description:
      'Comma-separated list of `<field>:<direction>`; fields `created_at`, `updated_at`; directions `asc`, `desc`.',
  },
};

export const commonNotes: Readonly<Record<string, ParameterNotes>> = {
  count: { description: 'The number of rows to return.', 'x-assumption': 'A6a' },
  page_token: {
    description:
      'The token for the next or previous portion of the collection. It carries the filters and the order of its list.',
    'x-assumption': 'A13',
  },
  sort: { description: '`<field>:<direction>`.', 'x-assumption': 'A6e' },
  exclude: { description: 'Fields to omit; when absent all fields are returned.' },
  organization: { description: 'URI of the organization whose data is asked for.' },
  user: { description: 'URI of the user whose data is asked for.' },
  group: { description: 'URI of the group whose data is asked for.' },
  min_start_time: { description: 'What starts at this time or later.', 'x-assumption': 'A6e' },
  max_start_time: { description: 'What starts at this time or earlier.', 'x-assumption': 'A6e' },
  status: { description: 'In this state.' },
  email: { description: 'With this e-mail address.' },
  invitee_email: { description: 'With an invitee of this e-mail address.' },
  no_show: { description: 'Marked as a no-show, or not.' },
  event: { description: 'URI of the scheduled event it belongs to.' },
  event_type: { description: 'URI of the event type it belongs to.' },
  start_time: { description: 'The first instant asked for.' },
  end_time: { description: 'The last instant asked for; at most 31 days after the first.' },
};
