// No tool shows what a column is declared to hold of a person: every value of an answer that is a column is compared with the declaration.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MarkedValue, type Presentation } from '#src/addons/mcp/marked.ts';
import { tools } from '#src/addons/mcp/server.ts';
import type { Ask } from '#src/api/ask.ts';
import { answerSchema } from '#src/http/operation.ts';
import { declaredColumn } from '#src/read/declared-columns.ts';
import { viewColumns, viewNames } from '#src/store/views/views.ts';

/** The tables whose columns a tool answers by their names. Those of `why` are marked by the declaration itself. */
const tablesOf: Readonly<Record<string, readonly string[]>> = {
  list_bookings: ['bookings'],
  unconfirmed_meetings: ['bookings'],
  no_shows: ['no_shows', 'invitees', 'contacts', 'scheduled_events'],
  no_show_rates: ['event_types'],
  find_contacts: ['contacts', 'contact_emails', 'contact_phone_numbers'],
  find_people: ['contacts', 'contact_emails'],
  person_timeline: ['event_log'],
  unbooked_forms: ['routing_form_submissions', 'contacts', 'contact_emails'],
  list_recaps: ['meeting_recaps', 'contacts', 'contact_emails'],
  get_recap: ['meeting_recaps', 'contacts', 'contact_emails'],
  list_deliveries: ['event_log'],
  why: [],
  mirror_health: [],
};

/** Values by which their field is known again. Each form is one that a mark shows, unless it also asks what the value is about. */
const forms: Readonly<Record<string, (index: number) => string>> = {
  words: (index) => `word-${index}`,
  URIs: (index) => `https://api.example.test/contacts/word-${index}`,
  times: (index) => `2026-01-01T00:00:00.${String(index).padStart(6, '0')}Z`,
};

/** An answer as its schema says, and the path of the field of each text in it. */
function sampleOf(schema: z.ZodType, form: (index: number) => string) {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  const paths = new Map<string, string>();
  const sample = (given: Schema, path: string): unknown => {
    const { $ref: ref, anyOf, type, properties, items, enum: words, const: constant } = given;
    if (ref !== undefined) return sample(root.$defs?.[ref.split('/').at(-1) ?? ''] ?? {}, path);
    if (constant !== undefined) return constant;
    if (words !== undefined) return words[0];
    if (anyOf !== undefined) return sample(anyOf.find((each) => each.type !== 'null') ?? {}, path);
    if (type === 'array') return [sample(items ?? {}, path)];
    if (properties !== undefined)
      return Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, sample(each, `${path}.${name}`)]),
      );
    if (type === 'number' || type === 'integer') return 1;
    if (type === 'boolean') return true;
    if (type === 'object') return {};
    const value = form(paths.size);
    paths.set(value, path);
    return value;
  };
  return { value: sample(root, ''), paths };
}

interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

interface Shown {
  readonly mark: MarkedValue['kind'];
  readonly value: unknown;
}

function marksIn(presented: Presentation): readonly Shown[] {
  if (presented instanceof MarkedValue)
    return textsIn(presented.value).map((value) => ({ mark: presented.kind, value }));
  return typeof presented === 'object' && presented !== null ? Object.values(presented).flatMap(marksIn) : [];
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Which marks hide, or examine, what a column may hold. */
const allowed: Readonly<Record<string, readonly MarkedValue['kind'][]>> = {
  person: ['person', 'text'],
  text: ['text', 'person', 'label', 'eventType'],
  secret: [],
};

/** Of a table or a view. */
const columnIn = (name: string, column: string) =>
  viewNames().includes(name) ? viewColumns(name)[column] : declaredColumn(`${name}.${column}`);

describe('the marks of tools', () => {
  it('are compared for every tool', () => {
    expect(Object.keys(tablesOf).toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  });

  it.for(Object.keys(forms))('hide what columns are declared to hold, also in the form of %s', async (name) => {
    const compared = new Set<string>();
    for (const tool of tools) {
      const whole = answerSchema(tool.operation) ?? z.unknown();
      const { value, paths } = sampleOf(whole, forms[name] ?? String);
      const ask = (async () => value) as unknown as Ask;
      const input = tool.record === undefined ? {} : { [tool.record.name]: 'https://api.example.test/contacts/1' };
      const { data } = await tool.answer({ ask, eventTypeNames: async () => [], input, rows: 1, from: undefined });
      for (const { mark, value: shown } of marksIn(data)) {
        const path = paths.get(String(shown)) ?? '';
        for (const table of tablesOf[tool.name] ?? [])
          for (const field of path.split('.')) {
            const marks = allowed[columnIn(table, field)?.holds ?? 'plain'];
            if (marks === undefined) continue;
            compared.add(`${table}.${field}`);
            expect([tool.name, path, mark, marks]).toEqual([tool.name, path, mark, expect.arrayContaining([mark])]);
          }
      }
    }
    expect([...compared]).toEqual(
      expect.arrayContaining([
        'bookings.invitee_email',
        'bookings.cancel_reason',
        'contacts.name',
        'contact_phone_numbers.phone_number',
        'invitees.reschedule_url',
        'meeting_recaps.summary_md',
        'routing_form_submissions.questions_and_answers',
      ]),
    );
  });
});
