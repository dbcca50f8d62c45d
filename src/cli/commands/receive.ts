// `receive`: only takes deliveries; run as many as you like on a queue they share.
import { refuseEmbedded, serve } from './serve.ts';
import { defineVerb } from '#src/cli/verb.ts';

export const receive = defineVerb({
  arguments: {},
  options: {},
  async run(context) {
    refuseEmbedded(context, 'receive');
    return serve(context, { receives: true, works: false, makesKey: false });
  },
});
