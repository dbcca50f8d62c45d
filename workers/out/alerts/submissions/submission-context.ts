// Loads everything that the rule about routing forms and its messages need about submissions.
import { propertyOf } from '#schemas/wire.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { readColumns } from '#src/store/rows.ts';
import { erasedAmong } from '#src/read/deliveries/log-changes.ts';
import { loadBookingContexts } from '#src/read/bookings/booking-context.ts';
import { bookingsOfSubmissions, unbookedSubmitters } from '#src/read/people/submissions.ts';
import { submissionColumns, type Answer, type SubmissionContext } from './submission.ts';

/** By URI. Leaves out what is no submission, and those of erased people: nothing is reported about them. */
export async function loadSubmissionContexts(
  from: Store | Unit,
  uris: readonly string[],
): Promise<ReadonlyMap<string, SubmissionContext>> {
  const all = await readColumns(from, 'routing_form_submissions', {
    columns: submissionColumns,
    key: 'uri',
    values: [...new Set(uris)],
  });
  const erased = await erasedAmong(
    from,
    all.map(({ uri }) => uri),
  );
  const rows = all.filter(({ uri }) => !erased.has(uri));
  const unbooked = await unbookedSubmitters(
    from,
    rows.map(({ uri }) => uri),
  );
  const otherwise = await readColumns(from, 'invitees', {
    columns: ['uri', 'created_at'],
    key: 'uri',
    values: [...unbooked.values()].flatMap(({ booked_otherwise: uri }) => uri ?? []),
  });
  const timeOf = new Map(otherwise.map(({ uri, created_at: at }) => [uri, at]));
  const booked = await bookingsOfSubmissions(
    from,
    rows.map(({ uri }) => uri),
  );
  const bookings = await loadBookingContexts(from, [...booked.values(), ...timeOf.keys()]);
  const forms = await readColumns(from, 'routing_forms', {
    columns: ['uri', 'name', 'questions'],
    key: 'uri',
    values: [...new Set(rows.flatMap(({ routing_form: uri }) => uri ?? []))],
  });
  const formOf = new Map(forms.map((form) => [form.uri, form]));
  return new Map(
    rows.map((row) => {
      const form = formOf.get(row.routing_form ?? '');
      const answers = answersOf(row.questions_and_answers, form?.questions);
      const other = unbooked.get(row.uri)?.booked_otherwise ?? '';
      const booking = bookings.get(booked.get(row.uri) ?? other);
      const bookedAt = unbooked.has(row.uri) ? (timeOf.get(other) ?? null) : row.created_at;
      return [row.uri, { row, formName: form?.name ?? null, answers, bookedAt, booking }];
    }),
  );
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** JSON as the service sent it: what is not text is left out. */
function answersOf(given: unknown, questions: unknown): readonly Answer[] {
  const typeOf = new Map(listOf(questions).map((one) => [propertyOf(one, 'uuid'), propertyOf(one, 'type')]));
  return listOf(given).flatMap((one) => {
    const [question, answer, uuid] = ['question', 'answer', 'question_uuid'].map((key) => propertyOf(one, key));
    if (typeof question !== 'string' || typeof answer !== 'string') return [];
    const type = typeOf.get(uuid);
    return [{ question, answer, type: typeof type === 'string' ? type : undefined }];
  });
}
