// Preloaded into a server with --require. SIGUSR2 starts a CPU profile; the next SIGUSR2 stops it and writes it to the
// folder BENCH_PROFILES.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import path from 'node:path';

const SAMPLING_INTERVAL_MICROS = 200;

const session = new Session();
session.connect();
let isProfiling = false;

process.on('SIGUSR2', () => {
  if (!isProfiling) {
    isProfiling = true;
    session.post('Profiler.enable', () =>
      session.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL_MICROS }, () =>
        session.post('Profiler.start'),
      ),
    );
    return;
  }
  isProfiling = false;
  session.post('Profiler.stop', (error, result) => {
    const { BENCH_PROFILES = '.', REPLICA_ID = 'server' } = process.env;
    if (!error)
      writeFileSync(path.join(BENCH_PROFILES, `${REPLICA_ID}.cpuprofile`), JSON.stringify(result.profile));
  });
});
