import process from 'node:process';

const isColourful = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;
const paint = (code) => (text) => (isColourful ? `\u001b[${code}m${text}\u001b[0m` : text);

export const dim = paint(2);
export const bold = paint(1);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);

const LABEL_WIDTH = 12;

/** One quiet line of what is happening: a label, then what is to say about it. */
export function say(label, text) {
  process.stdout.write(`  ${dim(label.padEnd(LABEL_WIDTH))}${text}\n`);
}

/** Says nothing: for callers that have their own output, such as tests. */
export function sayNothing() {}
