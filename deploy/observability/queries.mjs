import fs from 'node:fs';
import { resolveInRepository } from '../local/paths.mjs';

const readText = (...parts) =>
  fs.readFileSync(resolveInRepository('deploy', 'observability', ...parts), 'utf8');

/** The queries of the dashboard. @returns {{name: string, expr: string}[]} */
export const readPanels = () =>
  JSON.parse(readText('grafana', 'thaw.json')).panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ name: `${title}: ${legendFormat}`, expr })),
  );

/**
 * The alert rules. YAML is not parsed in general: this reads the layout of alerts.yml, whose rules begin with `-
 * alert:` and whose expressions stand on the line of `expr:`, or below it after `>-`.
 * @returns {{name: string, expr: string, text: string}[]}
 */
export const readAlerts = () =>
  readText('alerts.yml')
    .split(/^\s*- alert: /m)
    .slice(1)
    .map((text) => {
      const [name] = text.split('\n');
      const [, onOneLine, folded] = /expr: (?:>-\n((?:\s{10,}.*\n)+)|(.*)\n)/.exec(text) ?? [];
      return { name, text, expr: (onOneLine ?? folded ?? '').replace(/\s+/g, ' ').trim() };
    });

/** Removes the threshold of an alert's expression, which holds only while the alert fires. */
export const withoutThreshold = (expr) =>
  expr
    .split(' and ')
    .map((part) => part.replace(/\s*(<|>|==)\s*[\d.]+\s*$/, ''))
    .join(' and ');
