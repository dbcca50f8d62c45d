// Projects the definitions of custom fields, which are only ever read from the API.
import type { FactKind, FactPayload } from '#schemas/records.ts';
import type { Fields, Projection } from './contract.ts';
import { assignmentTo, columnsFrom } from './field-mapping.ts';
import { ranks, versionOf } from './version.ts';

type Kinds = Extract<FactKind, `custom_field_definition.${string}`>;

export const customFieldDefinitionFields: Fields<'custom_field_definitions'> = columnsFrom<
  FactPayload<'custom_field_definition.read'>
>()('custom_field_definitions', 'label field_type options currency created_at updated_at body');

export const customFieldDefinitionProjections: { [Kind in Kinds]: Projection<Kind> } = {
  'custom_field_definition.read': ({ payload, observed, tie }) => {
    const { uri } = payload;
    const version = versionOf({ updatedAt: payload.updated_at, observed, rank: ranks.page, tie });
    const record = { ...payload, body: payload };
    return {
      subject: { table: 'custom_field_definitions', uri },
      assignments: [assignmentTo('custom_field_definitions', customFieldDefinitionFields, { uri, version, record })],
    };
  },
};
