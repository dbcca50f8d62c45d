// The items of lists that rows have as JSON, one row each: custom fields of contacts, answers of booking forms and of routing forms.
// Nothing is stored for them beside the list.
import { sql } from 'kysely';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';
import { integer, json, text, type View } from './view.ts';

export interface ListView extends View {
  /** The table with the list, and the column of the view that holds its key. */
  readonly parent: { readonly table: 'contacts' | 'invitees' | 'routing_form_submissions'; readonly key: string };
}

const item = integer('index in the list, from 0');

export const contactCustomFields: ListView = {
  name: 'contact_custom_fields',
  about: 'One row per value of a custom field of a contact.',
  columns: {
    contact_uri: text('URI of the contact (`contacts.uri`)'),
    field_uri: text('URI of the definition of the field (`custom_field_definitions.uri`)'),
    label: text('label of the field when the value was sent'),
    value: json('the value; for `single_select` the UUID of the option'),
  },
  key: ['contact_uri', 'field_uri'],
  since: undefined,
  parent: { table: 'contacts', key: 'contact_uri' },
  select: ({ distinctItems, itemText, itemJson }) => sql`
    select contacts.uri as contact_uri, ${itemText('uri')} as field_uri, ${itemText('label')} as label, ${itemJson('value')} as value
    from contacts cross join ${distinctItems(sql`contacts.custom_fields`, 'uri')}`,
};

export const inviteeAnswers: ListView = {
  name: 'invitee_answers',
  about: 'One row per answer of a booking form.',
  columns: {
    invitee_uri: text('URI of the invitee (`invitees.uri`)'),
    item,
    position: integer('position of the question in the form, as sent'),
    question: text('the question'),
    answer: text('the answer'),
  },
  key: ['invitee_uri', 'item'],
  since: undefined,
  parent: { table: 'invitees', key: 'invitee_uri' },
  select: ({ items, itemPosition, itemJson, itemText, custom }) => sql`
    select invitees.uri as invitee_uri, ${itemPosition} - 1 as item, ${custom.integer(itemJson('position'))} as position,
      ${itemText('question')} as question, ${itemText('answer')} as answer
    from invitees cross join ${items(sql`invitees.questions_and_answers`)}`,
};

export const routingFormAnswers: ListView = {
  name: 'routing_form_answers',
  about: 'One row per answer of a routing form.',
  columns: {
    submission_uri: text('URI of the submission (`routing_form_submissions.uri`)'),
    item,
    question_uuid: text('UUID of the question in `routing_forms.questions`'),
    question: text('the question'),
    answer: text('the answer'),
  },
  key: ['submission_uri', 'item'],
  since: undefined,
  parent: { table: 'routing_form_submissions', key: 'submission_uri' },
  select: (dialect) => sql`
    select routing_form_submissions.uri as submission_uri, ${routingAnswer(dialect)}
    from routing_form_submissions cross join ${dialect.items(sql`routing_form_submissions.questions_and_answers`)}`,
};

const routingAnswer = ({ itemPosition, itemText }: SqlDialect): Sql =>
  sql`${itemPosition} - 1 as item, ${itemText('question_uuid')} as question_uuid, ${itemText('question')} as question,
    ${itemText('answer')} as answer`;

export const routingAnswersIn = (dialect: SqlDialect, list: Sql): Sql =>
  sql`(select ${routingAnswer(dialect)} from ${dialect.items(list)})`;

export const listViews: readonly ListView[] = [contactCustomFields, inviteeAnswers, routingFormAnswers];
