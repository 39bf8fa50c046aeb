import {
  listAllFaults,
  isLossy,
  formatLabel,
  MAX_DISCONNECTION_MS,
  createSchedule,
  type ScheduleOptions,
} from './schedule';

const topology = { replicas: ['api-1', 'api-2', 'api-3'], workers: ['worker-1', 'worker-2'] };
const createOptions = (more: Partial<ScheduleOptions> = {}): ScheduleOptions => ({
  seed: 12,
  topology,
  durationMs: 60_000,
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
    const classes = listAllFaults(topology);
    const drawn = createSchedule(createOptions({ faults: classes.length })).flatMap(({ faults }) => faults);
    const classIndexes = drawn.map(({ fault }) =>
      classes.findIndex((each) => each.some((one) => formatLabel(one) === formatLabel(fault))),
    );
    // The last round may have one fault more than requested.
    expect(new Set(classIndexes.slice(0, classes.length)).size).toBe(classes.length);
  });

  it('has one or two faults at a time, never two at the same target', () => {
    for (const { faults } of createSchedule(createOptions({ faults: 200 }))) {
      expect([1, 2]).toContain(faults.length);
      expect(new Set(faults.map(({ fault }) => fault.target)).size).toBe(faults.length);
    }
  });

  it('ends every fault of a round before users give up and press Reconnect', () => {
    for (const { faults } of createSchedule(createOptions({ faults: 300 }))) {
      for (const { afterMs, lastsMs } of faults)
        expect(afterMs + lastsMs).toBeLessThanOrEqual(MAX_DISCONNECTION_MS);
    }
  });

  it('leaves out faults that the machine cannot cause', () => {
    const rounds = createSchedule(
      createOptions({ faults: 200, isExcluded: ({ kind }) => kind === 'disk-full' }),
    );
    const kinds = rounds.flatMap(({ faults }) => faults.map(({ fault }) => fault.kind));
    expect(kinds).not.toContain('disk-full');
    expect(kinds).toContain('read-only');
  });

  it('causes only faults whose labels match `only`', () => {
    const rounds = createSchedule(createOptions({ faults: 5, only: ['flushed redis'] }));
    expect(rounds.every(({ faults }) => faults.every(({ fault }) => isLossy(fault)))).toBe(true);
  });

  it('fits its rounds into the given duration', () => {
    const rounds = createSchedule(createOptions());
    const durationsMs = rounds.map(
      ({ pauseMs, faults }) => pauseMs + Math.max(...faults.map(({ afterMs, lastsMs }) => afterMs + lastsMs)),
    );
    expect(rounds.length).toBeGreaterThan(2);
    expect(durationsMs.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(60_000);
  });
});
