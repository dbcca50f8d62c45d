// Routing forms: whatever is answered or missing, the submission is whole.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readDelivery } from '#schemas/delivery.ts';
import { routingFormSubmissionResource } from '#schemas/resources/routing-form.ts';
import { submitForm, type Answers } from '#src/sandbox/world/routing.ts';
import type { Fact, Service, StoredForm } from '#src/sandbox/world/service.ts';
import { openForSuite } from '../../../harness/sandbox.ts';
import { runs } from '../../../harness/runs.ts';

let form: StoredForm;
const sandbox = openForSuite({}, async (opened) => {
  [form] = opened.service.state.routingForms.values() as unknown as [StoredForm];
});

it('a submission is whole whatever was answered, also of a form that leads nowhere, and subscribers can read it', () => {
  const facts: Fact[] = [];
  const service: Service = { ...sandbox.service, emit: (fact) => void facts.push(fact) };
  const key = fc.oneof(fc.string(), fc.constantFrom('constructor', '__proto__', '0', 'length'));
  const answers = fc.oneof(fc.array(fc.string()), fc.dictionary(key, fc.string()));
  fc.assert(
    fc.property(answers, fc.constantFrom(form, { ...form, routes: [], questions: [] }), (given: Answers, asked) => {
      const submission = submitForm(service, { form: asked, answers: given });
      expect(routingFormSubmissionResource.safeParse(submission).error).toBeUndefined();
      expect(submission.questions_and_answers).toHaveLength(asked.questions.length);
      const { event, at, payload, users, organization } = facts.pop() as Fact;
      expect({ users, organization }).toEqual({ users: [], organization: form.organization });
      const sent = readDelivery(JSON.stringify({ event, created_at: at, payload }));
      expect(sent).toMatchObject({ state: 'known', event: 'routing_form_submission.created' });
    }),
    runs(60),
  );
});
