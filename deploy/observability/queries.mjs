import fs from 'node:fs';
import { resolveInRepository } from '../local/paths.mjs';

const readText = (...parts) =>
  fs.readFileSync(resolveInRepository('deploy', 'observability', ...parts), 'utf8');

/**
 * Reads the queries of the dashboard's panels.
 * @returns {{name: string, expr: string}[]}
 */
export const readPanelQueries = () =>
  JSON.parse(readText('grafana', 'thaw.json')).panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ name: `${title}: ${legendFormat}`, expr })),
  );

/**
 * Reads the alert rules.
 *
 * This is not a YAML parser: it relies on the layout of alerts.yml. A rule starts with `- alert:`. Its expression is on
 * the line of `expr:` or, after `>-`, on the next lines, which are indented by at least 10 blanks.
 * @returns {{name: string, expr: string, text: string}[]}  `text`: the YAML of the whole rule
 */
export const readAlerts = () =>
  readText('alerts.yml')
    .split(/^\s*- alert: /m)
    .slice(1)
    .map((text) => {
      const [name] = text.split('\n');
      const expression = /expr: (?:>-\n(?<folded>(?:\s{10,}.*\n)+)|(?<onOneLine>.*)\n)/.exec(text);
      const { folded, onOneLine } = expression?.groups ?? {};
      return { name, text, expr: (folded ?? onOneLine ?? '').replace(/\s+/g, ' ').trim() };
    });

/** A comparison with a number at the end of an expression, such as `> 0.5`. */
const THRESHOLD = /\s*(?:[<>]=?|[=!]=)\s*[\d.]+\s*$/;

/** Removes the thresholds from an alert's expression, so that it returns series even while the alert does not fire. */
export const withoutThreshold = (expr) =>
  expr
    .split(' and ')
    .map((part) => part.replace(THRESHOLD, ''))
    .join(' and ');
