// People over all their addresses.
import { z } from 'zod';
import { pageQuery } from '#schemas/pagination.ts';
import { instant } from '#schemas/resources/values.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import { listing, type Listing } from '#src/http/pagination.ts';
import { plainText } from '#src/http/request.ts';
import { findContacts } from '#src/read/contacts/contact-page.ts';
import { findWithoutContact, peopleOfContacts, personByAddress } from '#src/read/people/people.ts';

const person = z
  .strictObject({
    person: z.string().describe('The URI of the oldest contact; without a contact, of the first booking.'),
    contact_uri: z.string().nullable(),
    name: z.string().nullable(),
    primary_email: z.string().nullable(),
    emails: z.array(z.string()).describe('All addresses, in lower case.'),
    contacts: z.int(),
    contact_uris: z.array(z.string()),
    first_touch: instant.nullable(),
    last_touch: instant.nullable(),
    bookings: z.int(),
    came: z.int(),
    unknown: z.int().describe('Bookings that ended and of which nothing shows whether the person came.'),
    no_shows: z.int(),
    last_campaign: z.string().nullable(),
    next_meeting: instant.nullable(),
    last_meeting: instant.nullable(),
  })
  .meta({ id: 'Person' });

const tag = 'People';

export const listPeople = defineOperation({
  id: 'listPeople',
  method: 'GET',
  path: '/api/people',
  tag,
  summary: 'People over all their addresses, newest first',
  description:
    'One record is one row of the view `people`. Without filters: those with a contact, in the order in which their contacts were created. A page may have fewer than `count`, because a person with several contacts is listed once; with `name`, a person may be on several pages. Of the people without a contact a page examines a limited number of bookings, and the next one continues.',
  query: pageQuery.extend({
    email: plainText.max(320).optional().describe('The person with this address, in any letter case.'),
    name: plainText.max(200).optional().describe('A part of the name of a contact, or of the first booking.'),
    contact_uris: plainText
      .transform((text) => text.split(','))
      .optional()
      .describe('The people of these contacts: at most 100 URIs, separated by commas. All are on one page.')
      .refine((uris = []) => uris.length <= 100, 'at most 100'),
    contact: z.enum(['true', 'false']).optional().describe('`false`: the people without a contact, by first booking.'),
  }),
  answers: 'collection',
  schema: person,
  async run({ reading, query: { email, name, contact, contact_uris: contacts }, pageIn }): Promise<Listing> {
    const page = pageIn('created_at:desc');
    const onePage = { first: undefined, last: undefined, hasNext: false, hasPrevious: false };
    if (contacts !== undefined) return { ...onePage, records: await peopleOfContacts(reading, contacts) };
    if (email !== undefined) {
      const found = await personByAddress(reading, email);
      const isWanted = contact === undefined || (found?.contact_uri === null) === (contact === 'false');
      return { ...onePage, records: found === undefined || !isWanted ? [] : [found] };
    }
    if (contact === 'false') {
      const { items, ...ends } = await findWithoutContact(reading, name, page);
      return { ...ends, records: items };
    }
    const found = await findContacts(reading, {
      search: name === undefined ? {} : { name: [name] },
      order: 'created_at',
      page,
    });
    const uris = new Set(found.items.map(({ uri }) => uri));
    const people = await peopleOfContacts(reading, [...uris]);
    const ends = listing({ ...found, positionOf: ({ created_at: key, uri }) => ({ key: String(key), uri }) });
    return { ...ends, records: name === undefined ? people.filter((each) => uris.has(each.person)) : people };
  },
});

export const peopleOperations = [listPeople] as const;
