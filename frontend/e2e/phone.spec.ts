import { expectNoOverflow, expectSound } from './support/soundness.ts';
import { expect, test, type Person } from './support/test.ts';

const actions = ['Break the Ice', 'Add Friend', 'Skip Chat'] as const;

const expectWordsInSight = async ({ page }: Person, words: readonly string[]): Promise<void> => {
  for (const word of words) {
    const text = page.getByRole('button', { name: word, exact: true }).getByText(word, { exact: true });
    const label = (await text.count()) > 0 ? text : page.getByRole('button', { name: word, exact: true });
    await expect(label).toBeInViewport({ ratio: 1 });
    const room = await label.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const written = [...range.getClientRects()].reduce((sum, { width }) => sum + width, 0);
      return { written, isClipped: getComputedStyle(element).position === 'absolute' };
    });
    expect(room.written, `${word} is written out`).toBeGreaterThan(20);
    expect(room.isClipped, `${word} is not for screen readers alone`).toBe(false);
  }
};

test('the words of the toolbar are in sight at every width, upright and in landscape', async ({ pair }) => {
  const [ada, bob] = await pair();
  for (const viewport of [
    { width: 320, height: 640 },
    { width: 390, height: 844 },
    { width: 568, height: 320 },
    { width: 844, height: 390 },
  ]) {
    await ada.page.setViewportSize(viewport);
    await expectWordsInSight(ada, actions);
    await expectNoOverflow(ada.page, 'an active chat');
    const list = ada.page.getByRole('region', { name: 'Messages' });
    const { height } = (await list.boundingBox()) ?? { height: 0 };
    expect(height, `room for messages at ${viewport.width} × ${viewport.height}`).toBeGreaterThan(
      viewport.height < 400 ? 100 : 300,
    );
  }
  await ada.page.setViewportSize({ width: 390, height: 844 });
  await ada.button('Add Friend').tap();
  await expectWordsInSight(ada, ['Sent!']);
  await expectSound(ada.page, 'the toolbar of a phone');
  await expect(ada.heading(bob.name)).toBeInViewport();
});

test('the parts of the top bar keep apart at 320 px', async ({ newcomer }) => {
  const ada = await newcomer({ viewport: { width: 320, height: 640 } });
  const right = async (selector: ReturnType<Person['button']>): Promise<[number, number]> => {
    const box = await selector.boundingBox();
    return box ? [box.x, box.x + box.width] : [NaN, NaN];
  };
  const [, logoEnd] = await right(ada.page.getByRole('banner').getByRole('link', { name: 'Thaw' }));
  const [statusStart, statusEnd] = await right(ada.page.getByText('Connected', { exact: true }));
  const [requestsStart] = await right(ada.page.getByRole('button', { name: /^Friend Requests/ }));
  expect(logoEnd).toBeLessThanOrEqual(statusStart);
  expect(statusEnd).toBeLessThanOrEqual(requestsStart);
  await expectNoOverflow(ada.page, 'the top bar');
});

test('the field is large enough for a phone in landscape, which would zoom in on a smaller one', async ({
  pair,
}) => {
  const [ada] = await pair({ viewport: { width: 844, height: 390 } });
  await expect(ada.field).toHaveCSS('font-size', '16px');
});
