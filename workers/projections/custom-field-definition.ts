// What a custom field's definition does to us; it is only ever read, so there is nothing but the record as it was.
import type { FactKind } from '#schemas/records.ts';
import type { Fields, Projection } from './contract.ts';
import { columns, said } from './field-mapping.ts';
import { ranks, versionOf } from './version.ts';

type Kinds = Extract<FactKind, `custom_field_definition.${string}`>;

export const customFieldDefinitionFields: Fields = columns(
  'label field_type options currency created_at updated_at body',
);

export const customFieldDefinitionProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'custom_field_definition.read': ({ payload, observed, tie }) => ({
    subject: { table: 'custom_field_definitions', uri: payload.uri },
    assignments: [
      {
        table: 'custom_field_definitions',
        uri: payload.uri,
        version: versionOf({ updatedAt: payload.updated_at, observed, rank: ranks.page, tie }),
        fields: said(customFieldDefinitionFields, { ...payload, body: payload }),
      },
    ],
  }),
};
