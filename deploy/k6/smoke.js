// Five users use every feature once, in a few seconds. Run it on a server without other users, who would be matched.
import { exerciseEverything } from './lib/smoke-scenario.ts';
import { commonThresholds } from './lib/metrics.ts';

export const options = {
  scenarios: { everything: { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: '2m' } },
  thresholds: { ...commonThresholds, checks: ['rate==1'], iterations: ['count==1'] },
};

export default exerciseEverything;
