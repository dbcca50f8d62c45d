// The filters of the feed, as query parameters and command-line options give them.
import { z } from 'zod';
import { plainText } from '#src/http/request.ts';
import type { FeedFilter } from '#src/store/log/feed.ts';
import { outcomes } from '#src/store/schema/log.ts';
import { included } from './entry.ts';

const maxAlternatives = 20;
const listOf = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item).max(maxAlternatives, `at most ${maxAlternatives}, separated by commas`));

const eventName = plainText
  .min(1, 'names of events, separated by commas')
  .max(200, 'names of at most 200 characters')
  // A star matches any ending; it is allowed at the end only.
  .refine((name) => !name.slice(0, -1).includes('*') && (!name.endsWith('*') || /^[\w.-]*\*$/.test(name)), {
    message: 'names such as contact.updated, or beginnings such as contact.*',
  })
  // `contact` alone would silently match nothing.
  .refine((name) => name === '' || /[.*]/.test(name), {
    message: 'names such as contact.created, or contact.* for all of them',
  });

export const filterInputs = {
  event: listOf(eventName).optional().describe('Only these events, separated by commas: `contact.created,invitee.*`.'),
  subject: plainText.min(1).max(2_048).optional().describe('Only entries about this URI.'),
  outcome: listOf(z.enum(outcomes, `one of ${outcomes.join(', ')}`))
    .optional()
    .describe('Only entries with one of these outcomes, separated by commas.'),
};

export const includeInput = z
  .enum(included, `one of: ${included.join(', ')}`)
  .optional()
  .describe(
    '`row`: each entry carries the rows it is about, as they are now. `none`: no entry carries changes or payload.',
  );

const filters = z.object(filterInputs);

export function filterOf({ event = [], subject, outcome = [] }: z.output<typeof filters>): FeedFilter {
  const patterns = event.filter((name) => name.endsWith('*'));
  // A star alone matches everything.
  const isAny = patterns.includes('*');
  return {
    events: isAny ? [] : event.filter((name) => !name.endsWith('*')),
    eventPrefixes: isAny ? [] : patterns.map((pattern) => pattern.slice(0, -1)),
    ...(subject === undefined ? {} : { subjectUri: subject }),
    outcomes: outcome,
  };
}
