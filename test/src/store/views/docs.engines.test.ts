// What the documentation says of the views: every column, and examples that run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { viewsFor } from '#src/store/views/views.ts';
import { contactBody, fieldUri, readDefinitions } from '../../../harness/data/custom-fields.ts';
import { ingestCountedBookings } from '../../../harness/data/counted-bookings.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { asReader, ingestBodies, availableEngines } from '../../../harness/stores.ts';

const text = readFileSync(join(import.meta.dirname, '../../../../docs/views.md'), 'utf8');
const tablesPage = readFileSync(join(import.meta.dirname, '../../../../docs/tables.md'), 'utf8');
const operationsPage = readFileSync(join(import.meta.dirname, '../../../../docs/operations.md'), 'utf8');
const queries = [...tablesPage.matchAll(/([^\n]+)\n\n```sql\n(select.*?);\n```/gs)].map(
  ([, about = '', query = '']) => ({
    about,
    query,
  }),
);
const sections = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);
const examples = [...sections].flatMap(([name, section]) =>
  [...section.matchAll(/```sql\n(.*?);\n```/gs)].map(([, query = '']) => ({ name, query })),
);

describe('the documentation of the views', () => {
  it('and of the tables have queries to run', () => {
    expect(queries.map(({ about }) => about)).toContainEqual(expect.stringContaining('Contacts by company'));
    expect(queries.length).toBeGreaterThan(3);
  });

  it('has an example for each view', () => {
    expect([...new Set(examples.map(({ name }) => name))].toSorted()).toEqual(
      viewsFor([])
        .map(({ name }) => name)
        .toSorted(),
    );
  });
});

const answered = JSON.stringify({
  event: 'invitee.created',
  created_at: '2025-01-09T00:00:00Z',
  payload: {
    uri: 'https://api.example.test/invitees/answered',
    added_by_the_service: 1,
    questions_and_answers: [{ question: 'How did you hear about us?', answer: 'A friend', position: 0 }],
  },
});

const unbooked = JSON.stringify({
  event: 'routing_form_submission.created',
  created_at: '2025-01-09T00:00:00Z',
  payload: {
    uri: 'https://api.example.test/routing_form_submissions/open',
    questions_and_answers: [{ question_uuid: 'size', question: 'Company size', answer: '11–50' }],
    result: { type: 'event_type' },
  },
});

for (const engine of availableEngines)
  describe(`the examples on ${engine.name}`, () => {
    const opened = openedOnce(engine.fresh);
    beforeAll(async () => {
      await ingestCountedBookings(opened.store);
      await readDefinitions(opened.store, [
        { uri: fieldUri(1), label: 'Budget', field_type: 'number' },
        {
          uri: fieldUri(2),
          label: 'Segment',
          field_type: 'single_select',
          options: [{ uuid: 'a-b', label: 'Retail' }],
        },
      ]);
      await ingestBodies(opened.store, [
        contactBody(1, { [fieldUri(1)]: 20_000, [fieldUri(2)]: 'a-b' }),
        answered,
        unbooked,
        JSON.stringify({ event: 'invitee.merged', created_at: '2025-01-09T00:00:00Z', payload: {} }),
      ]);
    });

    it.each(examples)('find something in $name', async ({ query }) => {
      const rows = await asReader(opened.store, query);
      expect(rows).not.toEqual([]);
    });

    it('find fields and kinds that this version does not know', async () => {
      const comment = { sqlite: 'SQLite', postgres: 'PostgreSQL' }[opened.store.engine.name];
      const [, fields = ''] = new RegExp(`-- ${comment}\\n(.*?);`, 's').exec(operationsPage) ?? [];
      const found = await asReader(opened.store, fields);
      expect(found).toContainEqual(expect.objectContaining({ key: 'added_by_the_service' }));
      const [, kinds = ''] = /`(select distinct event [^`]*)`/.exec(operationsPage) ?? [];
      const named = await asReader(opened.store, kinds);
      expect(named).toEqual([{ event: 'invitee.merged' }]);
    });

    it.each(queries)('of the tables run: $about', async ({ about, query }) => {
      const rows = await asReader(opened.store, query);
      // A choice is shown by its label, not by the identifier of its option.
      if (about.startsWith('Contacts by company'))
        expect(rows).toContainEqual(expect.objectContaining({ segment: 'Retail' }));
    });
  });
