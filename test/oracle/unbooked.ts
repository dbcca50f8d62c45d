// Submissions of routing forms without a booking, computed the plain way from the rows of the tables.
import type { Json } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { Contents } from '../harness/stores.ts';
import { byUri, isSameAddress, listOf, lowered, orNull, tags, textIn } from './journeys.ts';

const trimmed = (text: string): string => text.replaceAll(/^ +| +$/g, '');

export function unbookedOf(contents: Contents): StoredRow[] {
  const { routing_form_submissions: submissions = [], routing_form_answers: answers = [], invitees = [] } = contents;
  const isUnbooked = (row: StoredRow) =>
    row['result_type'] === 'event_type' && !invitees.some((one) => one['routing_form_submission'] === row['uri']);
  return submissions.filter(isUnbooked).map((row) => {
    const form = byUri(contents.routing_forms).get(String(row['routing_form']));
    const eventType = textIn(row['result'] ?? null, 'value');
    const given = answers
      .filter((answer) => answer['submission_uri'] === row['uri'] && answer['answer'] !== null)
      .toSorted((a, b) => Number(a['item']) - Number(b['item']))
      .map((answer) => ({ ...answer, text: trimmed(String(answer['answer'])) }) as Record<string, Json>);
    const typeOf = (uuid: Json | undefined) => {
      const question = listOf(form?.['questions']).find((one) => uuid !== null && textIn(one, 'uuid') === uuid);
      return question === undefined ? null : textIn(question, 'type');
    };
    const asksName = ({ question }: Record<string, Json>) =>
      /^(name|your name|full name|your full name)$/.test(lowered(trimmed(String(question))));
    const isName = (answer: Record<string, Json>) =>
      answer['text'] !== '' && (typeOf(answer['question_uuid']) ?? (asksName(answer) ? 'name' : null)) === 'name';
    const email = given.find(({ text }) => /^[^ @]+@[^ @]+$/s.test(String(text)))?.['text'];
    const later = invitees
      .filter((one) => isSameAddress(one['email'], email))
      .filter(
        (one) =>
          one['created_at'] !== null &&
          row['created_at'] !== null &&
          String(one['created_at']) >= String(row['created_at']),
      )
      .toSorted((a, b) => (`${a['created_at']} ${a['uri']}` < `${b['created_at']} ${b['uri']}` ? -1 : 1));
    return {
      submission_uri: orNull(row['uri']),
      routing_form: orNull(row['routing_form']),
      routing_form_name: orNull(form?.['name']),
      created_at: orNull(row['created_at']),
      event_type: eventType,
      event_type_name: orNull(byUri(contents.event_types).get(String(eventType))?.['name']),
      submitter: orNull(row['submitter']),
      submitter_type: orNull(row['submitter_type']),
      name: orNull(given.find(isName)?.['text']),
      email: orNull(email),
      booked_otherwise: orNull(later[0]?.['uri']),
      answers: orNull(row['questions_and_answers']),
      ...Object.fromEntries(tags.map((tag) => [tag, orNull(row[tag])])),
    };
  });
}
