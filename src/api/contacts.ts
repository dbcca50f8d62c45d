// The service's contacts, read from the mirror: the same questions, answers and refusals, without its limits.
import { contactGetQuery, contactListQuery } from '#schemas/contact-request.ts';
import { pageQuery } from '#schemas/pagination.ts';
import { contactResource, customFieldDefinitionResource } from '#schemas/resources/contact.ts';
import { listing } from '#src/http/pagination.ts';
import { notFound } from '#src/http/http-error.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { findContacts, type ContactOrder } from '#src/store/search/contact-page.ts';
import { findRows, rowsByUri, uriEndingWith } from '#src/store/search/record-search.ts';
import { keepWords } from './contact-index-job.ts';
import { contactRecord, definitionRecord } from './contact-record.ts';
import { defineOperation, type Operation, type ReaderNeeds } from './operation.ts';
import { isIdentifier, positionIn } from './row-position.ts';

const tag = 'Contacts';

export function contactOperations(needs: ReaderNeeds): readonly Operation[] {
  const { store } = needs;
  keepWords(needs);
  const definitions = async (): Promise<readonly StoredRow[]> => {
    const page = { count: mostDefinitions, descending: false, backwards: false };
    return (await findRows(store, 'custom_field_definitions', { order: 'created_at', page, where: [] })).items;
  };
  const find = async (table: 'contacts' | 'custom_field_definitions', id = ''): Promise<StoredRow | undefined> => {
    const uri = isIdentifier(id) ? await uriEndingWith(store, table, `/${table}/${id}`) : undefined;
    return uri === undefined ? undefined : (await rowsByUri(store, table, [uri]))[0];
  };

  return [
    defineOperation({
      id: 'listContacts',
      method: 'GET',
      conventions: 'service',
      path: '/api/contacts',
      tag,
      summary: 'The contacts, searched and sorted',
      description:
        'As `GET /contacts` of the service, from the mirror: the same filters, order, pages and errors. Deleted contacts are left out. Times have six fractional digits.',
      query: contactListQuery,
      answers: 'collection',
      schema: contactResource,
      async run({ query, pageIn }) {
        const { count: _count, page_token: _token, sort: keys = [], exclude, ...search } = query;
        // Where times are equal the URI decides: a second key never comes to.
        const [sort = 'created_at:asc'] = keys;
        const [order] = sort.split(':') as [ContactOrder];
        const page = await findContacts(store, { search, order, page: pageIn(sort) });
        const uris = page.items.map(({ uri }) => uri);
        const rows = new Map((await rowsByUri(store, 'contacts', uris)).map((row) => [row['uri'], row]));
        const defined = exclude === undefined ? await definitions() : undefined;
        return listing({ ...page, positionOf: ({ key, uri }) => ({ key, uri }) }, ({ uri }) =>
          contactRecord(rows.get(uri) ?? { uri }, defined),
        );
      },
    }),
    defineOperation({
      id: 'getContact',
      method: 'GET',
      conventions: 'service',
      path: '/api/contacts/{uuid}',
      tag,
      summary: 'One contact',
      refusals: { 404: 'No such contact, or it was deleted.' },
      query: contactGetQuery,
      answers: 'resource',
      schema: contactResource,
      async run({ params, query }) {
        const row = await find('contacts', params['uuid']);
        if (row === undefined || row['deleted_at'] !== null) throw notFound('No such contact.');
        return contactRecord(row, query.exclude === undefined ? await definitions() : undefined);
      },
    }),
    defineOperation({
      id: 'listCustomFieldDefinitions',
      method: 'GET',
      conventions: 'service',
      path: '/api/contacts/custom_field_definitions',
      tag,
      summary: 'The custom fields contacts can have',
      description:
        'As `GET /contacts/custom_field_definitions` of the service, from the mirror: retired ones included.',
      query: pageQuery,
      answers: 'collection',
      schema: customFieldDefinitionResource,
      async run({ pageIn }) {
        const order = 'created_at';
        const page = await findRows(store, 'custom_field_definitions', { order, page: pageIn(), where: [] });
        return listing({ ...page, positionOf: positionIn(order) }, definitionRecord);
      },
    }),
    defineOperation({
      id: 'getCustomFieldDefinition',
      method: 'GET',
      conventions: 'service',
      path: '/api/contacts/custom_field_definitions/{uuid}',
      tag,
      summary: 'One custom field',
      refusals: { 404: 'No such custom field.' },
      answers: 'resource',
      schema: customFieldDefinitionResource,
      async run({ params }) {
        const row = await find('custom_field_definitions', params['uuid']);
        if (row === undefined) throw notFound('No such custom field.');
        return definitionRecord(row);
      },
    }),
  ];
}

const mostDefinitions = 1_000;
