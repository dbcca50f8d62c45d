// `start`: receives and works in one process; nothing else is needed.
import { serve } from './serve.ts';
import { defineVerb } from '#src/cli/verb.ts';

export const start = defineVerb({
  arguments: {},
  options: {},
  run: (context) => serve(context, { receives: true, works: true, makesKey: true }),
});
