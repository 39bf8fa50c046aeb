import { type Page } from '@playwright/test';
import { expect, test, type Person } from './support/test.ts';

interface AccessibilityNode {
  nodeId: string;
  parentId?: string;
  role?: { value: string };
  name?: { value: string };
}

/** Reads the texts that screen readers announce: those in the live regions, which have the role `log`. */
const readAnnouncements = async (page: Page): Promise<string[]> => {
  const devtools = await page.context().newCDPSession(page);
  const { nodes } = (await devtools.send('Accessibility.getFullAXTree')) as { nodes: AccessibilityNode[] };
  await devtools.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const isInLog = (node: AccessibilityNode): boolean => {
    if (node.role?.value === 'log') return true;
    const parent = byId.get(node.parentId ?? '');
    return parent !== undefined && isInLog(parent);
  };
  return nodes
    .filter((node) => node.role?.value === 'StaticText' && isInLog(node))
    .map(({ name }) => name?.value ?? '');
};

const expectAnnounced = (person: Person, texts: readonly string[]): Promise<void> =>
  expect.poll(() => readAnnouncements(person.page)).toEqual(expect.arrayContaining([...texts]));

/** Counts the announcements that the partner is typing. */
const countTypingAnnouncements = async (page: Page): Promise<number> =>
  (await readAnnouncements(page)).filter((text) => text.endsWith(' is typing')).length;

test('screen readers announce each message of a burst by the partner, but no message of the user', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  const texts = ['line 1', 'line 2', 'line 3'];
  for (const text of texts) await bob.sendMessage(text);
  const burst = texts.map((text) => `${bob.name}: ${text}`);
  await expectAnnounced(ada, burst);
  await ada.sendMessage('an answer');
  await expect(bob.message('an answer')).toBeVisible();
  const announcements = await readAnnouncements(ada.page);
  expect(announcements.filter((text) => text.includes(': '))).toEqual(burst);
});

test('screen readers announce only once that the partner is typing a message', async ({ pair }) => {
  const [ada, bob] = await pair();
  await bob.sendMessage('the first message');
  await expectAnnounced(ada, [`${bob.name}: the first message`]);
  const countBefore = await countTypingAnnouncements(ada.page);
  // The page sends at most one typing frame every two seconds, and the first message has caused one already. So press
  // keys until one causes an announcement.
  await expect(async () => {
    await bob.field.press('h');
    expect(await countTypingAnnouncements(ada.page)).toBe(countBefore + 1);
  }).toPass();
  await bob.sendMessage('the second message');
  await expectAnnounced(ada, [`${bob.name}: the second message`]);
  expect(await countTypingAnnouncements(ada.page)).toBe(countBefore + 1);
});

test('screen readers announce each step of a Break the Ice game', async ({ pair }) => {
  const [ada, bob] = await pair();
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
});
