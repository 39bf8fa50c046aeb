import process from 'node:process';

const isColourful = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;
/**
 * Returns a function that wraps a text in the ANSI style with this number. Without a terminal, or with NO_COLOR, the
 * function returns the text unchanged.
 */
const createPainter = (styleNumber) => (text) =>
  isColourful ? `\u001b[${styleNumber}m${text}\u001b[0m` : text;

export const dim = createPainter(2);
export const bold = createPainter(1);
export const red = createPainter(31);
export const green = createPainter(32);
export const yellow = createPainter(33);

/** Width of the column of labels, in characters. */
const LABEL_WIDTH = 12;

/** Prints one line of progress: a label, then the text. */
export function logStep(label, text) {
  process.stdout.write(`  ${dim(label.padEnd(LABEL_WIDTH))}${text}\n`);
}

/** Replaces `logStep` where no progress is wanted, such as in tests. */
export function logNothing() {}
