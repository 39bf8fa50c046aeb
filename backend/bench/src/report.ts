import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import type { Row, Settings } from './figures/figure';

/** `backend/bench/README.md` explains the gate and the aim. The last column says whether the gate is reached. */
const TABLE_HEAD =
  '| # | Figure | Thaw | Against | Theirs | Ratio (spread) | Gate | Aim | |\n|---|---|---|---|---|---|---|---|---|';

/** @param isReached whether the gate is reached; undefined for a row without a gate */
const renderVerdict = (isReached: boolean | undefined): string => {
  if (isReached === undefined) return '';
  return isReached ? 'reached' : 'missed';
};

const renderRow = ({ figure, label, ours, against, theirs, ratio, gate, aim, isReached }: Row): string => {
  const ratioText = ratio
    ? `${ratio.median.toFixed(2)} (${ratio.minimum.toFixed(2)} to ${ratio.maximum.toFixed(2)})`
    : '';
  const verdict = renderVerdict(isReached);
  return `| ${[figure, label, ours, against, theirs, ratioText, gate, aim, verdict].join(' | ')} |`;
};

export const renderTable = (rows: readonly Row[]): string => [TABLE_HEAD, ...rows.map(renderRow)].join('\n');

/** Merges the rows of this run into the file. Rows of figures that this run did not measure are kept. */
export const writeResults = async (file: string, rows: readonly Row[], settings: Settings): Promise<void> => {
  const measuredFigures = new Set(rows.map(({ figure }) => figure));
  const earlierText = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const keptRows = earlierText.split('\n').filter((line) => {
    // A row begins with the name of its figure: `P` and a number, such as `P4`, or a word, such as `cost`. The head of
    // the table and other lines do not.
    const figure = /^\| (P\d+|[a-z]+) /.exec(line)?.[1];
    return figure !== undefined && !measuredFigures.has(figure);
  });
  // Figures without a number come first.
  const parseFigureNumber = (line: string): number => Number(/^\| P(\d+)/.exec(line)?.[1] ?? 0);
  const lines = [...keptRows, ...rows.map(renderRow)].sort(
    (a, b) => parseFigureNumber(a) - parseFigureNumber(b),
  );
  const { rounds, seconds, pairs, messagesPerSecond, commandsPerSecond } = settings;
  const text = `# Figures

Written by \`npm run bench\`, which explains what it does in \`backend/bench/README.md\`. The latest run measured ${[...measuredFigures].join(', ')} (Node ${process.versions.node}; ${rounds} rounds, every contender ${seconds} s in each, one after the other; ${pairs} pairs at ${messagesPerSecond} messages a second, commands at ${commandsPerSecond} a second); the other rows are those of earlier runs. A ratio is the median over the rounds of ours to theirs in the same round, with the least and the most. Compare ratios: the absolute figures are those of one small machine.

${TABLE_HEAD}
${lines.join('\n')}
`;
  writeFileSync(file, await format(text, { parser: 'markdown', printWidth: 110 }));
};
