// Routing form submissions: the last answer decides the result.
import type { RoutingFormSubmissionResource, RoutingResult } from '#schemas/resources/routing-form.ts';
import type { Random } from '#src/sandbox/random.ts';
import { makePerson, trackingWith, type Person } from './fictional-people.ts';
import { newUri, type Service, type StoredForm } from './service.ts';

/** In the order of the questions, or by a question's name, `uuid` or index (from 0). */
export type Answers = readonly string[] | Readonly<Record<string, string>>;

export interface Submission {
  readonly form: StoredForm;
  /** Missing answers are generated; answers to unknown questions are ignored. */
  readonly answers?: Answers | undefined;
  readonly tracking?: Parameters<typeof trackingWith>[0];
}

type Question = StoredForm['questions'][number];

export function submitForm(service: Service, { form, answers, tracking }: Submission) {
  const { random, state } = service;
  const person = makePerson(random);
  const questions_and_answers = form.questions.map((question, index) => ({
    question_uuid: question.uuid,
    question: question.name,
    answer: answerTo(question, index, answers) ?? makeAnswer(random, question, person),
  }));
  const at = service.clock.tick();
  const submission: RoutingFormSubmissionResource = {
    uri: newUri(service, 'routing_form_submissions'),
    routing_form: form.uri,
    questions_and_answers,
    tracking: trackingWith(tracking),
    result: resultOf(form, questions_and_answers.at(-1)?.answer),
    // A submission precedes any booking.
    submitter: null,
    submitter_type: null,
    created_at: at,
    updated_at: at,
  };
  state.submissions.put(submission);
  // It belongs to the organization: no host has been chosen yet.
  service.emit({
    event: 'routing_form_submission.created',
    at,
    payload: submission,
    organization: form.organization,
    users: [],
  });
  return submission;
}

/** Own keys only: a question may be named `constructor`. */
function answerTo({ name, uuid }: Question, index: number, answers: Answers = []): string | undefined {
  const given = new Map(Object.entries(answers));
  return given.get(name) ?? given.get(uuid) ?? given.get(String(index));
}

function makeAnswer(random: Random, { type, answer_choices }: Question, { name, email }: Person): string {
  switch (type) {
    case 'name':
      return name;
    case 'email':
      return email;
    case 'text':
      return 'We would like to know more.';
    case 'select':
      return answer_choices.length === 0 ? '' : random.pick(answer_choices);
  }
}

const thanks: RoutingResult = {
  type: 'custom_message',
  value: { headline: 'Thank you', body: 'We will be in touch.' },
};

/** An answer without a route has the result of the first route. */
function resultOf({ routes }: StoredForm, answer: string | undefined): RoutingResult {
  return (routes.find((route) => route.answer === answer) ?? routes[0])?.result ?? thanks;
}
