// The names of what alerts are about: invitees, hosts, event types, and who submitted which form. Alerts store only URIs; names are read when they are shown.
import { propertyOf } from '#schemas/wire.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { readColumns } from '#src/store/rows.ts';

/** Leaves out what has no name: the mirror itself, subscriptions, erased people. */
export async function subjectNames(
  from: Store | Unit,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const values = [...new Set(subjects)].filter((subject) => URL.canParse(subject));
  const invitees = await readColumns(from, 'invitees', {
    columns: ['uri', 'name', 'first_name', 'last_name', 'email'],
    key: 'uri',
    values,
  });
  const people = invitees.map(({ uri, name, first_name, last_name, email }) => ({
    uri,
    name: name || [first_name, last_name].filter(Boolean).join(' ') || email,
  }));
  const lookup = { columns: ['uri', 'name'], key: 'uri', values } as const;
  const others = [...(await readColumns(from, 'users', lookup)), ...(await readColumns(from, 'event_types', lookup))];
  const submissions = await readColumns(from, 'routing_form_submissions', {
    columns: ['uri', 'routing_form', 'questions_and_answers'],
    key: 'uri',
    values,
  });
  const forms = await readColumns(from, 'routing_forms', {
    columns: ['uri', 'name'],
    key: 'uri',
    values: [...new Set(submissions.flatMap(({ routing_form: form }) => form ?? []))],
  });
  const formNames = new Map(forms.map(({ uri, name }) => [uri, name]));
  const submitted = submissions.map(({ uri, routing_form: form, questions_and_answers: answers }) => {
    const texts = Array.isArray(answers) ? answers.map((each) => propertyOf(each, 'answer')) : [];
    const address = texts.find((answer) => typeof answer === 'string' && answer.includes('@'));
    return { uri, name: [address, formNames.get(form ?? '')].filter(Boolean).join(', ') };
  });
  return new Map([...people, ...others, ...submitted].flatMap(({ uri, name }) => (name ? [[uri, name] as const] : [])));
}
