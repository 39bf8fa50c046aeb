// Checks that Sequence counts lost, duplicate and out-of-order events. Usage: k6 run deploy/k6/lib/sequence.check.js
import { Sequence } from './sequence.ts';

export const options = {
  thresholds: { thaw_lost: ['count==2'], thaw_doubled: ['count==2'], thaw_out_of_order: ['count==2'] },
};

export default () => {
  // Each chat starts after event 1, so event 2 is expected next.
  const complete = new Sequence(1);
  [2, 3, 4].forEach((seq) => complete.record(seq, 'a check'));
  complete.finish();

  // Events 3 and 5 are lost.
  const withGaps = new Sequence(1);
  [2, 4, 6].forEach((seq) => withGaps.record(seq, 'a check'));
  withGaps.finish();

  // Events 2 and 4 arrive twice, and event 3 arrives after 4.
  const withDisorder = new Sequence(1);
  [2, 2, 4, 4, 3].forEach((seq) => withDisorder.record(seq, 'a check'));
  withDisorder.finish();

  // Event 2 arrives after three later ones: one event is out of order.
  const withLateEvent = new Sequence(1);
  [3, 4, 5, 2].forEach((seq) => withLateEvent.record(seq, 'a check'));
  withLateEvent.finish();
};
