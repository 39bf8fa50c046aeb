import { performance } from 'node:perf_hooks';
import { sendAtRate } from './constant-rate';

const COUNT = 3;
const PER_SECOND = 100;

describe('sendAtRate', () => {
  let nowMs: number;

  beforeEach(() => {
    nowMs = 1_000;
    jest.useFakeTimers();
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('sends each call when it is due, the first one at once', async () => {
    const calls: { index: number; dueAt: number; sentAt: number }[] = [];
    const sending = sendAtRate(COUNT, PER_SECOND, (index, dueAt) =>
      calls.push({ index, dueAt, sentAt: nowMs }),
    );
    while (calls.length < COUNT) {
      nowMs += 1;
      jest.advanceTimersByTime(1);
    }
    await sending;
    expect(calls).toEqual([
      { index: 0, dueAt: 1_000, sentAt: 1_000 },
      { index: 1, dueAt: 1_010, sentAt: 1_010 },
      { index: 2, dueAt: 1_020, sentAt: 1_020 },
    ]);
  });

  it('makes up for calls that were due while the process was busy, with the times at which they were due', async () => {
    const dueTimes: number[] = [];
    const sending = sendAtRate(COUNT, PER_SECOND, (_index, dueAt) => dueTimes.push(dueAt));
    // A busy process: 25 ms pass, in which no timer fires.
    nowMs += 25;
    jest.advanceTimersByTime(1);
    await sending;
    expect(dueTimes).toEqual([1_000, 1_010, 1_020]);
  });
});
