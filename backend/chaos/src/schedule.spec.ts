import {
  listFaultClasses,
  formatLabel,
  LATEST_FAULT_END_MS,
  createSchedule,
  type Round,
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
const listFaults = (rounds: Round[]) => rounds.flatMap(({ faults }) => faults.map(({ fault }) => fault));

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
    // The last round may have one fault more than requested, which is left out here.
    const drawnLabels = listFaults(rounds).slice(0, classes.length).map(formatLabel);
    for (const faultClass of classes) {
      const labelsOfClass = faultClass.map(formatLabel);
      expect(drawnLabels.filter((label) => labelsOfClass.includes(label))).toHaveLength(1);
    }
  });

  it('has one or two faults in a round, never two at the same target', () => {
    for (const { faults } of createSchedule(createOptions({ faultCount: 200 }))) {
      expect([1, 2]).toContain(faults.length);
      const targets = new Set(faults.map(({ fault }) => fault.target));
      expect(targets.size).toBe(faults.length);
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
    const kinds = listFaults(rounds).map(({ kind }) => kind);
    expect(kinds).not.toContain('disk-full');
    expect(kinds).toContain('read-only'); // another fault of PostgreSQL
  });

  it('causes only faults whose labels match one of `labelFilters`', () => {
    const rounds = createSchedule(createOptions({ faultCount: 5, labelFilters: ['flushed redis'] }));
    const labels = listFaults(rounds).map(formatLabel);
    expect(new Set(labels)).toEqual(new Set(['flushed redis']));
  });

  it('schedules several rounds when `faultCount` is not set', () => {
    expect(createSchedule(createOptions()).length).toBeGreaterThan(2);
  });

  it('fits the pauses and the faults into the duration when `faultCount` is not set', () => {
    let totalMs = 0;
    for (const { pauseMs, faults } of createSchedule(createOptions())) {
      const faultEndsMs = faults.map(({ afterMs, lastsMs }) => afterMs + lastsMs);
      totalMs += pauseMs + Math.max(...faultEndsMs);
    }
    expect(totalMs).toBeLessThanOrEqual(DURATION_MS);
  });
});
