import {
  listFaultClasses,
  formatLabel,
  LATEST_FAULT_END_MS,
  createSchedule,
  type ScheduleOptions,
} from './schedule';

const topology = { replicas: ['api-1', 'api-2', 'api-3'], workers: ['worker-1', 'worker-2'] };
const DURATION_MS = 60_000;
const createOptions = (more: Partial<ScheduleOptions> = {}): ScheduleOptions => ({
  seed: 12,
  topology,
  durationMs: DURATION_MS,
  ...more,
});

describe('createSchedule', () => {
  it('returns the same rounds for the same seed', () => {
    expect(createSchedule(createOptions())).toEqual(createSchedule(createOptions()));
  });

  it('returns different rounds for different seeds', () => {
    expect(createSchedule(createOptions({ seed: 1 }))).not.toEqual(
      createSchedule(createOptions({ seed: 2 })),
    );
  });

  it('draws every class of faults once before it draws one twice', () => {
    const classes = listFaultClasses(topology);
    const rounds = createSchedule(createOptions({ faultCount: classes.length }));
    const labels = rounds.flatMap(({ faults }) => faults.map(({ fault }) => formatLabel(fault)));
    const classIndexes = labels.map((label) =>
      classes.findIndex((faultClass) => faultClass.some((fault) => formatLabel(fault) === label)),
    );
    // `slice`, because the last round may have one fault more than requested.
    expect(new Set(classIndexes.slice(0, classes.length)).size).toBe(classes.length);
  });

  it('has one or two faults in a round, never two at the same target', () => {
    for (const { faults } of createSchedule(createOptions({ faultCount: 200 }))) {
      expect([1, 2]).toContain(faults.length);
      expect(new Set(faults.map(({ fault }) => fault.target)).size).toBe(faults.length);
    }
  });

  it('ends every fault of a round before pages give up and show the Reconnect button', () => {
    for (const { faults } of createSchedule(createOptions({ faultCount: 300 }))) {
      for (const { afterMs, lastsMs } of faults)
        expect(afterMs + lastsMs).toBeLessThanOrEqual(LATEST_FAULT_END_MS);
    }
  });

  it('leaves out faults that the machine cannot cause', () => {
    const rounds = createSchedule(
      createOptions({ faultCount: 200, isExcluded: ({ kind }) => kind === 'disk-full' }),
    );
    const kinds = rounds.flatMap(({ faults }) => faults.map(({ fault }) => fault.kind));
    expect(kinds).not.toContain('disk-full');
    expect(kinds).toContain('read-only'); // another fault of PostgreSQL
  });

  it('causes only faults whose labels match one of `labelFilters`', () => {
    const rounds = createSchedule(createOptions({ faultCount: 5, labelFilters: ['flushed redis'] }));
    const labels = rounds.flatMap(({ faults }) => faults.map(({ fault }) => formatLabel(fault)));
    expect(new Set(labels)).toEqual(new Set(['flushed redis']));
  });

  it('schedules several rounds without `faultCount`, whose pauses and faults fit into the duration', () => {
    const rounds = createSchedule(createOptions());
    const durationsMs = rounds.map(
      ({ pauseMs, faults }) => pauseMs + Math.max(...faults.map(({ afterMs, lastsMs }) => afterMs + lastsMs)),
    );
    expect(rounds.length).toBeGreaterThan(2);
    expect(durationsMs.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(DURATION_MS);
  });
});
