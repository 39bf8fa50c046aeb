import { type Locator } from '@playwright/test';
import { expect, test } from './support/test.ts';

const readDirection = (text: Locator): Promise<string> =>
  text.evaluate((element) => getComputedStyle(element).direction);

/** Distances of the first and the last character of an element from the left edge of the page, in px. */
const measureEnds = (text: Locator): Promise<[first: number, last: number]> =>
  text.evaluate((element) => {
    const node = element.firstChild;
    if (!(node instanceof Text)) throw new Error('No text');
    const measureLeftEdge = (offset: number): number => {
      const range = document.createRange();
      range.setStart(node, offset);
      range.setEnd(node, offset + 1);
      return range.getBoundingClientRect().x;
    };
    return [measureLeftEdge(0), measureLeftEdge(node.length - 1)];
  });

test('Arabic text runs from right to left in the composer, in messages and in quotes', async ({ pair }) => {
  const [ada, bob] = await pair();
  const arabic = 'مرحبا بك.';
  await ada.field.fill(arabic);
  expect(await readDirection(ada.field)).toBe('rtl');
  await ada.field.press('Enter');
  for (const person of [ada, bob])
    expect(await readDirection(person.message(arabic).getByText(arabic))).toBe('rtl');
  // The full stop at the end of the sentence is on the left.
  const [firstX, lastX] = await measureEnds(bob.message(arabic).getByText(arabic));
  expect(lastX).toBeLessThan(firstX);

  await bob.message(arabic).hover();
  await bob.message(arabic).getByRole('button', { name: 'Reply', exact: true }).click();
  await bob.sendMessage('an answer');
  const quote = ada.message('an answer').getByRole('button', { name: 'In reply to You' });
  expect(await readDirection(quote.getByText(arabic))).toBe('rtl');
  expect(await readDirection(ada.message('an answer').getByText('an answer', { exact: true }))).toBe('ltr');
});

test('a bidi control character in a message does not affect the text around it', async ({ pair }) => {
  const [ada, bob] = await pair();
  await ada.sendMessage('harmless');
  await ada.message('harmless').hover();
  await ada.message('harmless').getByRole('button', { name: 'Edit', exact: true }).click();
  // Edits the message, so that "(edited)" follows it. The right-to-left override must not reverse this mark.
  await ada.sendMessage('turned \u202Eround');
  const editedMark = bob.message('turned').getByText('(edited)');
  await expect(editedMark).toBeVisible();
  const [firstX, lastX] = await measureEnds(editedMark);
  expect(firstX).toBeLessThan(lastX);
});
