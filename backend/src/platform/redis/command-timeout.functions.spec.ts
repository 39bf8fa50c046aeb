import { Command } from 'ioredis';
import { replaceCommandTimeout } from './command-timeout.functions';

beforeAll(replaceCommandTimeout);
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('a command has one time-out, even if ioredis sets it again when it sends the queued command', () => {
  const command = new Command('ping', []);
  command.setTimeout(500);
  command.setTimeout(500);
  command.resolve('PONG');
  expect(jest.getTimerCount()).toBe(0);
});
