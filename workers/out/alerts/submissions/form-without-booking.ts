// The rule about routing forms: a form was submitted, led to a booking page, and nothing was booked within some time.
import { z } from 'zod';
import { instantOf } from '#src/base/time.ts';
import { duration } from '#src/config/readers.ts';
import { propertyOf } from '#schemas/wire.ts';
import type { Store } from '#src/store/contract.ts';
import { routingForms } from '#src/read/people/submissions.ts';
import { utmColumns } from '#src/store/schema/tables.ts';
import { fieldValues, isOneOf, oneOrMore, utmFilters } from '#workers/out/alerts/rules/filter.ts';
import type { Finding } from '#workers/out/alerts/rules/rule.ts';
import { isBooked, type SubmissionContext } from './submission.ts';

/** The facts of its messages; a rule can omit each of them, and the link. */
export const submissionFactNames = ['who', 'email', 'form', 'answers', 'utm', 'when'] as const;

export const submissionFilter = z
  .strictObject({
    /** By URI or by name. */
    form: oneOrMore,
    /** By the text of the question. */
    answers: fieldValues,
    ...utmFilters,
  })
  .partial();

const options = {
  within: duration('15m'),
  filter: submissionFilter.default({}),
  omit: z.array(z.enum([...submissionFactNames, 'link'])).default([]),
};

export interface BoundSubmissionRule {
  readonly withinMs: number;
  readonly filter: z.output<typeof submissionFilter>;
  readonly omit: readonly string[];
  find(context: SubmissionContext): readonly Finding[];
}

export const formWithoutBooking = {
  when: 'form_without_booking',
  title: 'Form without booking',
  about: 'A routing form led to a booking page, and nothing was booked.',
  page: '/routing?booked=false&result_type=event_type',
  options,
  bind(rule: unknown): BoundSubmissionRule {
    const { within: withinMs, filter, omit } = z.object(options).parse(rule);
    return {
      withinMs,
      filter,
      omit,
      find(context) {
        const { created_at: at } = context.row;
        if (at === null || isBooked(context, withinMs) || !matches(filter, context)) return [];
        return [{ fact: { kind: 'unbooked' }, occurredAt: instantOf(Date.parse(at) + withinMs) }];
      },
    };
  },
};

function matches(
  { form, answers = {}, ...utm }: BoundSubmissionRule['filter'],
  { row, formName, answers: given }: SubmissionContext,
): boolean {
  const answersTo = (question: string) =>
    given.filter((one) => isOneOf([one.question], question)).map(({ answer }) => answer);
  return (
    isOneOf([row.routing_form, formName], form) &&
    Object.entries(answers).every(([question, wanted]) => isOneOf(answersTo(question), wanted)) &&
    utmColumns.every((column) => isOneOf([row[column]], utm[column]))
  );
}

/** Forms and questions in rules that do not exist, one sentence each; none while no form was read from the service. */
export async function unknownFormNames(
  store: Store,
  rules: readonly (Pick<BoundSubmissionRule, 'filter'> & { readonly name: string })[],
): Promise<readonly string[]> {
  if (rules.length === 0) return [];
  const rows = await routingForms(store);
  if (rows.length === 0) return [];
  return rules.flatMap(({ name: rule, filter: { form = [], answers = {} } }) => {
    const isNamed = (named: string) => rows.some(({ uri, name }) => isOneOf([uri, name], named));
    const asked = rows.filter(({ uri, name }) => form.length === 0 || isOneOf([uri, name], form)).flatMap(questionsOf);
    const questions = Object.keys(answers).filter((question) => asked.length > 0 && !isOneOf(asked, question));
    return [
      ...form
        .filter((named) => !isNamed(named))
        .map(
          (named) =>
            `Rule ${rule}: there is no routing form “${named}”. Forms: ${listed(rows.map(({ name }) => name))}.`,
        ),
      ...questions.map((question) => `Rule ${rule}: no form asks “${question}”. Questions: ${listed(asked)}.`),
    ];
  });
}

const questionsOf = ({ questions }: { readonly questions: unknown }): readonly unknown[] =>
  Array.isArray(questions) ? questions.map((one: unknown) => propertyOf(one, 'name')) : [];

const listed = (names: readonly unknown[]): string =>
  [...new Set(names.filter((name) => typeof name === 'string'))].toSorted().join(', ');
