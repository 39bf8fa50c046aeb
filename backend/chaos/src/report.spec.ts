import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Report, writeReport } from './report';

describe('writeReport', () => {
  it('writes the number and the names of skipped faults', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'thaw-report-'));
    const file = path.join(folder, 'report.json');
    const report = {
      skippedFaults: ['full disk: no right to mount'],
      verdict: { violations: [] },
    } as unknown as Report;
    try {
      writeReport(file, report);
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
        skipped: 1,
        skippedFaults: ['full disk: no right to mount'],
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
