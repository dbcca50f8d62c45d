// Turns about everything else: forms filled in, recaps written and revised, an offer changed.
import type { MeetingRecapResource } from '#schemas/resources/meeting-recap.ts';
import { instantOf } from '../clock.ts';
import { updateEventType } from '../world/event-types.ts';
import { createRecap, deleteRecap, updateRecap } from '../world/recaps.ts';
import { submitForm } from '../world/routing.ts';
import { eventTypesOf } from '../world/state.ts';
import { someOf } from './turn.ts';
import type { Stage, Turn } from './turn.ts';

const summaries = [
  'Walked through the import; two questions left open.',
  'Agreed on a trial for the support team.',
  'Reviewed last month and set the next goals.',
];

export const fillForm: Turn = ({ service, organization }) => {
  const form = [...service.state.routingForms.values()].find((one) => one.organization === organization);
  if (form) submitForm(service, { form });
};

/** Of a meeting that has begun and has no recap yet. */
export const writeRecap: Turn = (stage) => {
  const { state, clock, random } = stage.service;
  const now = instantOf(clock.nowMs());
  const meeting = someOf(stage, (request) =>
    state.scheduledEvents.page('start', request, ({ uri, status, start_time, event_memberships }) => {
      if (status !== 'active' || start_time > now || state.recaps.of('event', uri).length > 0) return false;
      return isOurs(stage, event_memberships[0]?.user);
    }),
  );
  const host = meeting?.event_memberships[0]?.user;
  if (meeting && host !== undefined)
    createRecap(stage.service, { user: host, event: meeting, summary: random.pick(summaries) });
};

export const reviseRecap: Turn = (stage) => {
  const recap = someRecap(stage);
  const { random } = stage.service;
  if (recap) updateRecap(stage.service, recap, { summary_md: `${random.pick(summaries)} (revised)` });
};

export const dropRecap: Turn = (stage) => {
  const recap = someRecap(stage);
  if (recap) deleteRecap(stage.service, recap);
};

export const reviseOffer: Turn = ({ service, organization }) => {
  const { random, state } = service;
  const offer = random.pick(eventTypesOf(state, organization));
  updateEventType(service, offer, { internal_note: `Checked by ${random.pick(['Ada', 'Olu', 'Rosa', 'Uma'])}` });
};

function someRecap(stage: Stage): MeetingRecapResource | undefined {
  return someOf(stage, (request) =>
    stage.service.state.recaps.page('start', request, ({ user }) => isOurs(stage, user)),
  );
}

function isOurs({ service, organization }: Stage, user: string | undefined): boolean {
  return user !== undefined && service.state.users.get(user)?.current_organization === organization;
}
