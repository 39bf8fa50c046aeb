import process from 'node:process';

const isColourful = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;
const paint = (code) => (text) => (isColourful ? `\u001b[${code}m${text}\u001b[0m` : text);

export const dim = paint(2);
export const bold = paint(1);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);

const LABEL_WIDTH = 12;

/** Prints one line of progress: a label, then the text. */
export function say(label, text) {
  process.stdout.write(`  ${dim(label.padEnd(LABEL_WIDTH))}${text}\n`);
}

/** A `say` without output, for callers that print their own, such as tests. */
export function sayNothing() {}
