import { formatIsoTimestamp } from './iso-timestamp.functions';

// Each call uses or replaces the cached second of the previous one, so the order of the times matters.
it.each([0, 999, 1_000, 1_763_640_000_007, 1_763_640_000_070, 1_763_640_000_070, 1_763_639_999_999])(
  'formats %d as Date does, whatever was formatted before',
  (ms) => {
    expect(formatIsoTimestamp(ms)).toBe(new Date(ms).toISOString());
  },
);
