// Checks the dashboard and the alert rules against docs/operations.md, without a running Prometheus.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';
import { resolveInRepository } from '../local/paths.mjs';
import { readAlerts, readPanelQueries } from './queries.mjs';

const operations = fs.readFileSync(resolveInRepository('docs/operations.md'), 'utf8');
const dashboard = JSON.parse(
  fs.readFileSync(resolveInRepository('deploy/observability/grafana/thaw.json'), 'utf8'),
);
/** The width of a Grafana dashboard. */
const GRID_COLUMNS = 24;
/** The anchor that GitHub gives to a heading: in lower case, without punctuation, with dashes for spaces. */
const toAnchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
const anchors = new Set([...operations.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => toAnchor(heading)));

test('every alert has a summary and a severity, and names a section of the operations page', () => {
  const alerts = readAlerts();
  // Fewer alerts would mean that `readAlerts` does not recognise them.
  assert.ok(alerts.length >= 15);
  for (const { name, text } of alerts) {
    const [, anchor] = /runbook: docs\/operations\.md#(\S+)/.exec(text) ?? [];
    assert.ok(anchor && anchors.has(anchor), `${name}: ${anchor}`);
    assert.match(text, /summary: /, name);
    assert.match(text, /severity: (warning|critical)/, name);
  }
});

test('every metric of a panel or an alert is on the operations page', () => {
  const queries = [...readPanelQueries(), ...readAlerts()];
  const used = queries.flatMap(({ expr }) => expr.match(/thaw_\w+/g) ?? []);
  const isDocumented = (name) => {
    // Prometheus adds these suffixes to the name of a histogram.
    const metric = name.replace(/_(bucket|sum|count)$/, '');
    return operations.includes(`\`${metric}\``);
  };
  const missing = used.filter((name) => !isDocumented(name));
  assert.deepEqual([...new Set(missing)], []);
});

test('panels do not overlap and stay within the columns of the grid', () => {
  const occupiedSquares = new Set();
  for (const { title, gridPos } of dashboard.panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.ok(x < GRID_COLUMNS && !occupiedSquares.has(`${x} ${y}`), title);
        occupiedSquares.add(`${x} ${y}`);
      }
  }
});

test('every panel has a title, and all but the rows have a unit and queries with legends', () => {
  for (const { type, title, targets, fieldConfig } of dashboard.panels) {
    assert.ok(title);
    if (type === 'row') continue;
    assert.ok(fieldConfig.defaults.unit, title);
    assert.ok(targets.length > 0 && targets.every(({ expr, legendFormat }) => expr && legendFormat), title);
  }
});
