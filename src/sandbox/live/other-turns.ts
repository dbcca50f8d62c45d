// Turns about everything else: forms filled in, recaps written and revised, an offer changed.
import type { MeetingRecapResource } from '#schemas/resources/meeting-recap.ts';
import { instantOf } from '#src/sandbox/clock.ts';
import { updateEventType } from '#src/sandbox/world/event-types.ts';
import { makeHighlights } from '#src/sandbox/world/recap-text.ts';
import { createRecap, deleteRecap, updateRecap } from '#src/sandbox/world/recaps.ts';
import { submitForm } from '#src/sandbox/world/routing.ts';
import { eventTypesOf } from '#src/sandbox/world/state.ts';
import { anyOf, isOurs, someOf } from './turn.ts';
import type { Stage, Turn } from './turn.ts';

export const fillForm: Turn = ({ service, organization }) => {
  const form = [...service.state.routingForms.values()].find((one) => one.organization === organization);
  if (form) submitForm(service, { form });
};

/** Of a meeting that has begun and has no recap yet. */
export const writeRecap: Turn = (stage) => {
  const { state, clock } = stage.service;
  const now = instantOf(clock.nowMs());
  const meeting = someOf(stage, (request) =>
    state.scheduledEvents.page('start', request, ({ uri, status, start_time, event_memberships }) => {
      if (status !== 'active' || start_time > now || state.recaps.of('event', uri).length > 0) return false;
      return isOurs(stage, event_memberships[0]?.user);
    }),
  );
  const host = meeting?.event_memberships[0]?.user;
  if (meeting && host !== undefined) createRecap(stage.service, { user: host, event: meeting });
};

export const reviseRecap: Turn = (stage) => {
  const recap = someRecap(stage);
  if (!recap) return;
  const { summary } = makeHighlights(stage.service.random);
  updateRecap(stage.service, recap, { summary_md: `${summary} (revised)` });
};

export const dropRecap: Turn = (stage) => {
  const recap = someRecap(stage);
  if (recap) deleteRecap(stage.service, recap);
};

export const reviseOffer: Turn = (stage) => {
  const { random, state } = stage.service;
  const offer = anyOf(stage, eventTypesOf(state, stage.organization));
  const internal_note = `Checked by ${random.pick(['Ada', 'Olu', 'Rosa', 'Uma'])}`;
  if (offer) updateEventType(stage.service, offer, { internal_note });
};

function someRecap(stage: Stage): MeetingRecapResource | undefined {
  return someOf(stage, (request) =>
    stage.service.state.recaps.page('start', request, ({ user }) => isOurs(stage, user)),
  );
}
