// The definitions behind the custom fields of contacts, retired ones included.
import { pageQuery } from '#schemas/pagination.ts';
import { customFieldDefinitionResource } from '#schemas/resources/contact.ts';
import type { CustomFieldDefinitionResource } from '#schemas/resources/contact.ts';
import { notFound } from '#src/http/http-error.ts';
import type { StoredDefinition } from '#src/sandbox/world/state.ts';
import { permitContacts } from './contact-permission.ts';
import { listing } from '#src/http/pagination.ts';
import { defineOperation } from './operation.ts';

const record = ({ organization: _organization, ...definition }: StoredDefinition): CustomFieldDefinitionResource =>
  definition;

export const customFieldOperations = [
  defineOperation({
    id: 'listCustomFieldDefinitions',
    method: 'GET',
    path: '/contacts/custom_field_definitions',
    summary: 'The custom fields contacts can have',
    scopes: ['contacts:read'],
    permits: permitContacts,
    query: pageQuery,
    answers: 'collection',
    schema: customFieldDefinitionResource,
    run({ service: { state }, caller, pageIn }) {
      const own = ({ organization }: StoredDefinition): boolean => organization === caller.organization.uri;
      return listing(state.definitions.page('created', pageIn(), own), record);
    },
  }),
  defineOperation({
    id: 'getCustomFieldDefinition',
    method: 'GET',
    path: '/contacts/custom_field_definitions/{uuid}',
    summary: 'One custom field',
    scopes: ['contacts:read'],
    permits: permitContacts,
    answers: 'resource',
    schema: customFieldDefinitionResource,
    run({ service: { state }, caller, uri }) {
      const definition = state.definitions.get(uri);
      if (definition?.organization !== caller.organization.uri) throw notFound('No such custom field.');
      return record(definition);
    },
  }),
] as const;
