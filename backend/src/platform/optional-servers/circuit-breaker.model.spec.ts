import { CircuitBreaker } from './circuit-breaker.model';

describe('CircuitBreaker', () => {
  let time: number;
  let breaker: CircuitBreaker;
  beforeEach(() => {
    time = 1_000;
    breaker = new CircuitBreaker({ failures: 3, openForMs: 100, now: () => time });
  });

  it('opens after failures in a row, not after as many with a success between them', () => {
    expect([breaker.recordFailure(), breaker.recordFailure()]).toEqual([false, false]);
    breaker.recordSuccess();
    expect([breaker.recordFailure(), breaker.recordFailure()]).toEqual([false, false]);
    expect(breaker.tryEnter()).toBe(true);
    expect(breaker.recordFailure()).toBe(true);
    expect(breaker.tryEnter()).toBe(false);
  });

  it('lets one caller try after a time, whose result decides', () => {
    for (let count = 0; count < 3; count += 1) breaker.recordFailure();
    time += 99;
    expect(breaker.tryEnter()).toBe(false);
    time += 1;
    expect([breaker.tryEnter(), breaker.tryEnter()]).toEqual([true, false]);
    expect(breaker.recordFailure()).toBe(false);
    time += 99;
    expect(breaker.tryEnter()).toBe(false);
    time += 1;
    expect(breaker.tryEnter()).toBe(true);
    breaker.recordSuccess();
    expect([breaker.tryEnter(), breaker.tryEnter()]).toEqual([true, true]);
  });
});
