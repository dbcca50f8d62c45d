// Generated text of recaps: highlights and a transcript, for recaps created without them.
import type { RecapEventResource, TranscriptResource } from '#schemas/resources/meeting-recap.ts';
import type { Random } from '#src/sandbox/random.ts';

type Segments = TranscriptResource['segments'];

const summaries = [
  '## Summary\nWalked through the import; two questions left open.',
  '## Summary\nAgreed on a trial for the support team, starting next week.',
  '## Summary\nReviewed last month and set the next goals.',
] as const;

const actionItems = [
  '- Send the notes\n- Book the next call',
  '- Share the pricing sheet\n- Invite the security team',
  '- Collect three examples of failed imports',
] as const;

const discussions = [
  '### Import\nThe file format is settled; the mapping of custom fields is not.',
  '### Trial\nTen seats for four weeks, with a review half way.',
  '### Goals\nFewer missed meetings, faster replies.',
] as const;

const lines = [
  'Thanks for making the time today.',
  'Happy to be here. Shall we begin with the open questions?',
  'Yes. The import ran over night and stopped at the custom fields.',
  'That is the mapping. I can send you an example that works.',
  'Good, then let us look at it again next week.',
  'I will send an invitation. Thank you all.',
] as const;

const longestPauseSeconds = 20;

export interface Highlights {
  readonly summary: string;
  readonly actionItems: string;
  readonly discussion: string;
}

export function makeHighlights(random: Random): Highlights {
  return {
    summary: random.pick(summaries),
    actionItems: random.pick(actionItems),
    discussion: random.pick(discussions),
  };
}

/** The attendees speak one after another. */
export function makeTranscript(random: Random, attendees: RecapEventResource['attendees']): Segments {
  let start_seconds = 0;
  return lines.map((text, index) => {
    start_seconds += random.int(2, longestPauseSeconds);
    return { speaker: attendees[index % Math.max(1, attendees.length)]?.user_name ?? 'Speaker', start_seconds, text };
  });
}
