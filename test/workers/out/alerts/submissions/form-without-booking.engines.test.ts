// Forms that led to no booking, from delivery to recipient: in time, too late, booked after all, after a restart. The clock is the test's.
import { describe, expect, it } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import { unknownFormNames } from '#workers/out/alerts/submissions/form-without-booking.ts';
import { erase } from '#workers/fold/privacy/erase.ts';
import { targetOf } from '#workers/fold/privacy/target.ts';
import { eventually } from '../../../../harness/moments.ts';
import { openAlertWorld, type AlertWorld } from '../../../../harness/alerts/alert-world.ts';
import { dataOf, textOf, titleOf, typeOf } from '../../../../harness/alerts/alert-receivers.ts';
import { contactForm, formSubmission } from '../../../../harness/data/form-submissions.ts';
import { expectGolden, yamlOf } from '../../../../harness/golden.ts';
import { messageTexts } from '../../../../harness/data/hostile.ts';
import { ingestRead, oneEngine } from '../../../../harness/stores.ts';

const rule = { name: 'leads', when: 'form_without_booking', channels: ['webhook'] };

function readForm(world: AlertWorld) {
  const observed = instantOf(world.nowMs());
  return ingestRead(world.store, [{ kind: 'routing_form', record: contactForm, observed }], observed);
}

describe.each(oneEngine)('form_without_booking on $name', ({ fresh }) => {
  it('alerts when the time is over, with who, the form, the answers and the campaign, and writes nothing before', async () => {
    await using world = await openAlertWorld({
      fresh,
      rules: [rule],
      settings: { ADMIN_URL: 'https://slots.example.test' },
    });
    const { webhook } = world.inbox;
    await readForm(world);
    const lead = formSubmission(1, world.nowMs());
    await world.deliver(lead.submitted, lead.submitted);
    await world.pass('14m');
    expect(await world.alerts()).toEqual([]);
    await world.pass('1m');
    await world.reaches('webhook', ['sent']);
    await world.pass('1m');
    expect(webhook.received).toHaveLength(1);
    await expectGolden(yamlOf(webhook.received.map(({ body }) => body)), 'golden/alert.txt');
    expect(await world.alerts()).toHaveLength(1);
  });

  it('sends nothing when the booking arrives in time, and a retraction when it arrives later', async () => {
    await using world = await openAlertWorld({ fresh, rules: [rule] });
    const { webhook } = world.inbox;
    const [early, late] = [formSubmission(1, world.nowMs()), formSubmission(2, world.nowMs())];
    await world.deliver(early.submitted, late.submitted);
    await world.pass('10m');
    await world.deliver(early.booked);
    await world.pass('10m');
    await eventually(() => webhook.received.map(titleOf)).toEqual(['Form without booking: lead-2@example.test']);
    await world.reaches('webhook', ['sent']);
    await world.deliver(late.booked, late.booked);
    await eventually(() => webhook.received.map(typeOf)).toEqual(['alert', 'alert.retraction']);
    expect(webhook.received.slice(1).map(titleOf)).toEqual(['Booked after all: lead-2@example.test']);
    expect(webhook.received.slice(1).map((one) => dataOf(one).text)).toEqual([
      expect.stringMatching(new RegExp(`^Booked after all: ${late.bookingName} booked .+\\.$`)),
    ]);
  });

  it('counts a booking of the same address within the time, also one that is learned later, and none before or after it', async () => {
    await using world = await openAlertWorld({ fresh, rules: [rule] });
    const { webhook } = world.inbox;
    const leads = [1, 2, 3, 4].map((n) => formSubmission(n, world.nowMs()));
    const bookedAfter = (n: number, minutes: number) => {
      const at = instantOf(world.nowMs() + minutes * 60_000);
      const payload = { uri: `https://api.scheduling.test/invitees/other-${n}`, email: `LEAD-${n}@example.test` };
      const dated = { ...payload, name: `Lead ${n}`, status: 'active', created_at: at, updated_at: at };
      return JSON.stringify({ event: 'invitee.created', created_at: at, payload: dated });
    };
    const learnedLater = bookedAfter(2, 14);
    await world.deliver(...leads.map(({ submitted }) => submitted), bookedAfter(3, -1), bookedAfter(4, 16));
    await world.deliver(bookedAfter(1, 1));
    await world.pass('20m');
    const alerted = [2, 3, 4].map((n) => `Form without booking: lead-${n}@example.test`);
    await eventually(() => webhook.received.map(titleOf).toSorted()).toEqual(alerted);
    await world.reaches('webhook', ['sent', 'sent', 'sent']);
    await world.deliver(learnedLater);
    await eventually(() => webhook.received.slice(3).map(titleOf)).toEqual(['Booked after all: lead-2@example.test']);
  });

  it('reports a submission that is learned late, but none that is too old or led elsewhere', async () => {
    await using world = await openAlertWorld({ fresh, rules: [rule] });
    const elsewhere = { result: { type: 'external_url', value: 'https://example.test' } };
    const hours = (count: number) => world.nowMs() - count * 3_600_000;
    await world.deliver(
      formSubmission(1, hours(5)).submitted,
      formSubmission(2, hours(25)).submitted,
      formSubmission(3, hours(5), elsewhere).submitted,
    );
    await world.pass('1m');
    await eventually(() => world.inbox.webhook.received.map(titleOf)).toEqual([
      'Form without booking: lead-1@example.test',
    ]);
    expect(await world.alerts()).toHaveLength(1);
  });

  it('applies its filters to the form, the answers and the campaign', async () => {
    const rules = [
      { form: 'contact SALES', answers: { 'company size': ['1-10', '200+'] }, utm_campaign: 'Spring' },
      { form: contactForm.uri },
      { form: 'Another' },
      { answers: { 'Company size': '1-10' } },
      { answers: { 'Not asked': '200+' } },
      { utm_source: ['web'] },
    ].map((filter, n) => ({ ...rule, name: `r${n}`, filter }));
    await using world = await openAlertWorld({ fresh, rules });
    await world.deliver(formSubmission(1, world.nowMs() - 3_600_000).submitted);
    // By URI only: the name of the form is not known yet.
    expect((await world.alerts()).map((one) => one.rule)).toEqual(['r1']);
    await readForm(world);
    await world.pass('1s');
    expect((await world.alerts()).map((one) => one.rule).toSorted()).toEqual(['r0', 'r1']);
    const bound = rules.map(({ name, filter: { form, answers } }) => ({
      name,
      filter: { ...(form !== undefined && { form: [form] }), ...(answers !== undefined && { answers }) },
    }));
    expect(await unknownFormNames(world.store, bound)).toEqual([
      'Rule r2: there is no routing form “Another”. Forms: Contact sales.',
      'Rule r4: no form asks “Not asked”. Questions: Company size, Who are you?.',
    ]);
  });

  it('sends nothing about an erased person, not even a retraction', async () => {
    await using world = await openAlertWorld({
      fresh,
      rules: [{ ...rule, quiet_hours: { from: '09:00', to: '20:00' } }],
    });
    const [first, second] = [formSubmission(1, world.nowMs()), formSubmission(2, world.nowMs())];
    await world.deliver(first.submitted, second.submitted);
    await world.pass('20m');
    expect(await world.states('webhook')).toEqual(['pending', 'pending']);
    await erase({ store: world.store, newKey: () => 'k'.repeat(64) }, targetOf('lead-1@example.test'), {
      now: instantOf(world.nowMs()),
    });
    await world.pass('1m');
    expect((await world.alerts()).map(({ subject_uri }) => subject_uri)).toEqual([second.uri]);
    await world.deliver(first.submitted);
    await world.pass('10h');
    await eventually(() => world.inbox.webhook.received.map(titleOf)).toEqual([
      'Form without booking: lead-2@example.test',
    ]);
  });
});

describe('the text about a form', () => {
  it('shows what people wrote as one plain line each, and leaves out what the rule omits', async () => {
    await using world = await openAlertWorld({
      rules: [
        { ...rule, channels: ['slack', 'webhook', 'email'] },
        { ...rule, name: 'brief', omit: ['who', 'email', 'form', 'answers', 'utm', 'when', 'link'] },
        { ...rule, name: 'own', template: '{{ name }}/{{ email }}/{{ answers["Company size"] }}/{{ utm.source }}' },
      ],
    });
    const { webhook, slack, mailbox } = world.inbox;
    const questions_and_answers = [
      { question: 'Name', answer: '<!here> *Ada*\n@channel' },
      ...Object.values(messageTexts).map((text) => ({ question: text, answer: text })),
    ];
    const given = { questions_and_answers };
    const { submitted } = formSubmission(1, world.nowMs() - 3_600_000, given);
    await world.deliver(submitted, formSubmission(2, world.nowMs() - 3_600_000).submitted);
    await eventually(() => [webhook.received.length, slack.received.length, mailbox.mails.length]).toEqual([6, 2, 2]);
    const texts = webhook.received.map(dataOf);
    expect(texts.map(({ text }) => text)).toContain('lead-2@example.test/lead-2@example.test/200+/newsletter');
    for (const { facts, text } of texts) {
      const shown = JSON.stringify([facts, text]);
      expect(shown).not.toMatch(/\\n|\\u0000|\u202e/);
    }
    expect(texts.filter(({ rule: name }) => name === 'brief').map(({ facts }) => facts)).toEqual([[], []]);
    expect(slack.received.map(textOf).join()).not.toMatch(/<!here>|(?<![\w.+-])@channel/);
  });
});
