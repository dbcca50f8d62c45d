// The address to which the buttons of one delivery send: fold it again, or dismiss it.
import { html } from 'hono/html';
import { dismissDelivery } from '#src/api/deliveries/dismiss.ts';
import { replayDelivery } from '#src/api/deliveries/replay-delivery.ts';
import { address } from '#src/addons/dashboard/components/markup.ts';
import { definePage } from '#src/addons/dashboard/page.ts';

export const replayDeliveryPage = definePage({
  path: '/deliveries/:id/replay',
  section: '/deliveries',
  show: ({ params }) => ({
    title: 'Replay',
    content: html`<h1>Replay</h1>
      <p>Use the button on <a href="/deliveries/${params['id']}">the page of the delivery</a>.</p>`,
  }),
  async submit({ ask, params, form }) {
    if (form['dismiss'] !== undefined)
      return { to: `/deliveries/${(await ask(dismissDelivery, { params })).resource.seq}` };
    const { resource } = await ask(replayDelivery, { params });
    const { changed, outcome_before: before } = resource.replay;
    return { to: address(`/deliveries/${resource.seq}`, { replayed: changed ? 'changed' : 'same', before }) };
  },
});
