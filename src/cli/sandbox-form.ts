// The option of commands that open a sandbox: the form in which it answers.
import { z } from 'zod';
import { forms } from '#src/sandbox/world/service.ts';

export const sandboxForm = {
  flags: '--as <form>',
  help: 'answers and webhooks as in the specification, or as at the public service (default: specification)',
  reads: z.enum(forms, forms.join(' or ')).default('specification'),
};
