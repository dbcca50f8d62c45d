// Columns that several tables have.
import { json, text, time } from './declaration.ts';

/** The fields that the fold needs, in every mirrored table. */
export const foldColumns = {
  as_of: time('when the newest fact in the row was observed, by the clock of the service'),
  version: text('the greatest version among the fields of the row; it decides which of two facts is newer', {
    holds: 'plain',
  }),
  lagging: json('versions of the fields that are older than `version`; usually empty', { holds: 'plain' }),
  extra: json('fields of the service that have no column; null when there are none', { holds: 'person' }),
};

export const timeColumns = {
  created_at: time('when it was created at the service'),
  updated_at: time('when it was last changed at the service'),
};

export const deletedColumns = {
  deleted_at: time('when it was deleted; null while it exists'),
  deleted_source: text('what reported the deletion', { oneOf: ['webhook', 'reconcile', 'operator'] }),
};

const tagOf = (name: string) => text('UTM tag', { holds: 'text', sentAs: `tracking.${name}` });

export const trackingColumns = {
  tracking: json('all tracking parameters, as sent', { holds: 'text' }),
  utm_campaign: tagOf('utm_campaign'),
  utm_source: tagOf('utm_source'),
  utm_medium: tagOf('utm_medium'),
  utm_content: tagOf('utm_content'),
  utm_term: tagOf('utm_term'),
  salesforce_uuid: text('Salesforce record, from the tracking parameters', {
    holds: 'person',
    sentAs: 'tracking.salesforce_uuid',
  }),
};
