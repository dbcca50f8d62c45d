// What may be asked of a meeting recap: other highlights. The specification does not show the body (A26).
import { z } from 'zod';

const highlight = z.string().nullable().optional();

/** PATCH /meeting_recaps/<uuid>: only what changes; null clears. */
export const recapUpdateRequest = z
  .strictObject({ summary_md: highlight, action_items_md: highlight, discussion_md: highlight })
  .refine(
    (changes) => Object.values(changes).some((value) => value !== undefined),
    'expected at least one of summary_md, action_items_md and discussion_md',
  );
