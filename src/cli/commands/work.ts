// `work`: only projects what receivers put on the queue; run as many as you like.
import { refuseEmbedded, serve } from './serve.ts';
import { defineVerb } from '#src/cli/verb.ts';

export const work = defineVerb({
  arguments: {},
  options: {},
  async run(context) {
    refuseEmbedded(context, 'work');
    return serve(context, { receives: false, works: true, makesKey: false });
  },
});
