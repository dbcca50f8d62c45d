// The address to which the buttons of an answer send.
import { html } from 'hono/html';
import { answerBooking } from '#src/api/bookings/answers.ts';
import { address, breadcrumb } from '#src/addons/dashboard/components/markup.ts';
import { definePage } from '#src/addons/dashboard/page.ts';
import { refusalNotice } from '#src/addons/dashboard/pages/mirror/parts.ts';

export const answerPage = definePage({
  path: '/answers',
  section: '/bookings',
  show: () => ({
    title: 'Answers',
    content: html`<h1>Answers</h1><p><a href="/bookings?unconfirmed=true">Did they come?</a></p>`,
  }),
  async submit({ ask, form, url }) {
    const { invitee = '', answer = '', back = '' } = form;
    const returning = new URL(back, url);
    const to = returning.origin === url.origin ? returning : new URL('/bookings', url);
    try {
      await ask(answerBooking, { body: { invitee, answer } });
      return { to: address(to.pathname, { ...Object.fromEntries(to.searchParams), answered: answer, of: invitee }) };
    } catch (error) {
      const content = html`${breadcrumb(to.pathname + to.search, 'Back', 'Not recorded')}
        <h1>Not recorded</h1>
        ${refusalNotice(error)}`;
      return { title: 'Not recorded', status: 409, content };
    }
  },
});
