import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Report, writeReport } from './report';

describe('writeReport', () => {
  it('writes the number of skipped faults, and every skipped fault with its reason', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'thaw-report-'));
    const file = path.join(folder, 'report.json');
    const skippedFaults = ['disk-full postgres: no privilege to mount'];
    const report = {
      skippedFaults,
      verdict: { violations: [] },
    } as unknown as Report;
    try {
      writeReport(file, report);
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
        skipped: 1,
        skippedFaults,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
