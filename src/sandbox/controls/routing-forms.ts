// The control that submits a routing form, as a visitor of its page would.
import { z } from 'zod';
import { trackingRequest } from '#schemas/tracking.ts';
import { omittable, uri } from '#schemas/wire.ts';
import { notFound } from '#src/http/http-error.ts';
import { submitForm, type Answers } from '#src/sandbox/world/routing.ts';
import type { State, StoredForm } from '#src/sandbox/world/state.ts';
import { defineControl } from './control.ts';

/** An answer in the form of a submission: by the text or the `uuid` of its question. */
const namedAnswer = z.looseObject({
  question: z.string().optional(),
  question_uuid: z.string().optional(),
  answer: z.string(),
});

const answers = omittable(
  z.union(
    [z.array(z.string()), z.record(z.string(), z.string()), z.array(namedAnswer).transform(byQuestion)],
    'expected answers as strings: in the order of the questions, or by question',
  ),
);

export const routingFormControls = [
  defineControl({
    id: 'postRoutingFormSubmissions',
    method: 'POST',
    path: '/routing_form_submissions',
    summary: 'Submits a routing form, the first one unless another is named; missing answers are made up',
    body: z.strictObject({ routing_form: omittable(uri), answers, tracking: omittable(trackingRequest) }),
    answers: 'resource',
    run: ({ service, body: { routing_form, answers: given, tracking } }) =>
      submitForm(service, { form: demandForm(service.state, routing_form), answers: given, tracking }),
  }),
] as const;

function byQuestion(list: readonly z.output<typeof namedAnswer>[]): Answers {
  return Object.fromEntries(
    list.map(({ question, question_uuid, answer }, index) => [question_uuid ?? question ?? String(index), answer]),
  );
}

function demandForm(state: State, named: string | undefined): StoredForm {
  const [first] = state.routingForms.values();
  const form = named === undefined ? first : state.routingForms.get(named);
  if (form === undefined) throw notFound('No such routing form.', 'routing_form');
  return form;
}
