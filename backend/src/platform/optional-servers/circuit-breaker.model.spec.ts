import { CircuitBreaker } from './circuit-breaker.model';

describe('CircuitBreaker', () => {
  let time: number;
  let breaker: CircuitBreaker;
  beforeEach(() => {
    time = 1_000;
    breaker = new CircuitBreaker({ failuresToOpen: 3, openForMs: 100, now: () => time });
  });

  it('opens after three failures in a row, and a success starts the count again', () => {
    // `recordFailure` returns whether the failure has opened the circuit.
    expect([breaker.recordFailure(), breaker.recordFailure()]).toEqual([false, false]);
    breaker.recordSuccess();
    expect([breaker.recordFailure(), breaker.recordFailure()]).toEqual([false, false]);
    expect(breaker.tryEnter()).toBe(true);
    expect(breaker.recordFailure()).toBe(true);
    expect(breaker.tryEnter()).toBe(false);
  });

  it('allows one call after the open period, and its result closes the circuit or keeps it open', () => {
    for (let count = 0; count < 3; count += 1) breaker.recordFailure();
    time += 99;
    expect(breaker.tryEnter()).toBe(false);
    time += 1;
    expect([breaker.tryEnter(), breaker.tryEnter()]).toEqual([true, false]);
    expect(breaker.recordFailure()).toBe(false); // it was open already
    time += 99;
    expect(breaker.tryEnter()).toBe(false);
    time += 1;
    expect(breaker.tryEnter()).toBe(true);
    breaker.recordSuccess();
    expect([breaker.tryEnter(), breaker.tryEnter()]).toEqual([true, true]);
  });
});
