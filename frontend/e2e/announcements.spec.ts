import { type Page } from '@playwright/test';
import { expect, test, type Person } from './support/test.ts';

interface AccessibilityNode {
  nodeId: string;
  parentId?: string;
  role?: { value: string };
  name?: { value: string };
}

/**
 * Reads the texts that screen readers announce: those inside elements of the role `log` (live regions) in the
 * accessibility tree.
 */
const readAnnouncements = async (page: Page): Promise<string[]> => {
  const devtools = await page.context().newCDPSession(page);
  const { nodes } = (await devtools.send('Accessibility.getFullAXTree')) as { nodes: AccessibilityNode[] };
  await devtools.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const isInLog = (node: AccessibilityNode | undefined): boolean =>
    node !== undefined &&
    (node.role?.value === 'log' || isInLog(node.parentId ? byId.get(node.parentId) : undefined));
  return nodes.flatMap((node) =>
    node.role?.value === 'StaticText' && isInLog(node) ? [node.name?.value ?? ''] : [],
  );
};

const expectAnnounced = (person: Person, texts: readonly string[]): Promise<void> =>
  expect.poll(() => readAnnouncements(person.page)).toEqual(expect.arrayContaining([...texts]));

/** Counts the announcements that the partner is typing. */
const countTypingAnnouncements = async (page: Page): Promise<number> =>
  (await readAnnouncements(page)).filter((text) => text.endsWith(' is typing')).length;

test('screen readers announce each message of a burst, typing once, and each step of a Break the Ice game', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  for (const n of [1, 2, 3]) await bob.sendMessage(`line ${n}`);
  const burst = [1, 2, 3].map((n) => `${bob.name}: line ${n}`);
  await expectAnnounced(ada, burst);
  await ada.sendMessage('an answer');
  await expect(bob.message('an answer')).toBeVisible();
  const announcements = await readAnnouncements(ada.page);
  // Of the texts with a sender, the log contains only Bob's: the user's own messages are not announced.
  expect(announcements.filter((text) => text.includes(': '))).toEqual(burst);

  // The page sends at most one typing frame every two seconds, and the burst has caused one already. So press keys
  // until one causes an announcement.
  const countBefore = await countTypingAnnouncements(ada.page);
  await expect(async () => {
    await bob.field.press('h');
    expect(await countTypingAnnouncements(ada.page)).toBe(countBefore + 1);
  }).toPass();
  await bob.field.fill('');

  await bob.button('Break the Ice').click();
  const options = ada.page.getByRole('region', { name: /^Break the Ice: / }).getByRole('radio');
  await expect(options.first()).toBeEnabled();
  const question = (await ada.page.getByRole('heading', { name: /^Break the Ice: / }).textContent()) ?? '';
  await expectAnnounced(ada, [`${bob.name}: ${question}`]);
  await bob.page.getByRole('radio').first().click();
  await expectAnnounced(ada, [`${bob.name} has answered`]);
  await expectAnnounced(bob, ['Waiting response from your chat partner...']);
  const answer = (await options.first().textContent()) ?? '';
  await options.first().click();
  for (const [person, partner] of [
    [ada, bob],
    [bob, ada],
  ] as const) {
    await expectAnnounced(person, [`The ice is broken! You: ${answer}. ${partner.name}: ${answer}.`]);
  }
  // The key presses have caused only one announcement.
  expect(await countTypingAnnouncements(ada.page)).toBe(countBefore + 1);
});
