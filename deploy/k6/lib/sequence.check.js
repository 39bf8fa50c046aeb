// Checks that Sequence counts what is lost, doubled and out of order. k6 run deploy/k6/lib/sequence.check.js
import { Sequence } from './sequence.ts';

export const options = {
  thresholds: { thaw_lost: ['count==2'], thaw_doubled: ['count==2'], thaw_out_of_order: ['count==1'] },
};

export default () => {
  const complete = new Sequence(1);
  [2, 3, 4].forEach((seq) => complete.record(seq, 'a check'));
  complete.finish();

  // 3 and 5 never come.
  const withGaps = new Sequence(1);
  [2, 4, 6].forEach((seq) => withGaps.record(seq, 'a check'));
  withGaps.finish();

  // 2 and 4 come twice, and 3 after 4.
  const withDisorder = new Sequence(1);
  [2, 2, 4, 4, 3].forEach((seq) => withDisorder.record(seq, 'a check'));
  withDisorder.finish();
};
