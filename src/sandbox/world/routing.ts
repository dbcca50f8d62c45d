// Routing forms: somebody fills one in, and the last answer decides where it leads.
import type { RoutingFormSubmissionResource, RoutingResult } from '#schemas/resources/routing-form.ts';
import type { Random } from '#src/sandbox/random.ts';
import { makePerson, trackingWith } from './fictional-people.ts';
import type { Person } from './fictional-people.ts';
import { newUri } from './service.ts';
import type { Service } from './service.ts';
import type { StoredForm } from './state.ts';

/** In the order of the questions, or by a question's name, `uuid` or place (from 0). */
export type Answers = readonly string[] | Readonly<Record<string, string>>;

export interface Submission {
  readonly form: StoredForm;
  /** Those missing are made up; those to questions the form does not ask are left out. */
  readonly answers?: Answers | undefined;
  readonly tracking?: Parameters<typeof trackingWith>[0];
}

type Question = StoredForm['questions'][number];

export function submitForm(service: Service, { form, answers, tracking }: Submission) {
  const { random, state } = service;
  const person = makePerson(random);
  const questions_and_answers = form.questions.map((question, place) => ({
    question_uuid: question.uuid,
    question: question.name,
    answer: answerTo(question, place, answers) ?? makeAnswer(random, question, person),
  }));
  const at = service.clock.tick();
  const submission: RoutingFormSubmissionResource = {
    uri: newUri(service, 'routing_form_submissions'),
    routing_form: form.uri,
    questions_and_answers,
    tracking: trackingWith(tracking),
    result: resultOf(form, questions_and_answers.at(-1)?.answer),
    // It comes before any booking.
    submitter: null,
    submitter_type: null,
    created_at: at,
    updated_at: at,
  };
  state.submissions.put(submission);
  // It belongs to the organization: nobody has been chosen to host anything yet.
  service.emit({
    event: 'routing_form_submission.created',
    at,
    payload: submission,
    organization: form.organization,
    users: [],
  });
  return submission;
}

/** Own keys only: somebody may ask for the answer to `constructor`. */
function answerTo({ name, uuid }: Question, place: number, answers: Answers = []): string | undefined {
  const key = [name, uuid, String(place)].find((candidate) => Object.hasOwn(answers, candidate));
  return key === undefined ? undefined : (answers as Readonly<Record<string, string>>)[key];
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

/** An answer no route was made for leads where the first one does. */
function resultOf({ routes }: StoredForm, answer: string | undefined): RoutingResult {
  return (routes.find((route) => route.answer === answer) ?? routes[0])?.result ?? thanks;
}
